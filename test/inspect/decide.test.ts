import type { Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { folderWith, twotrack } from '../cli/run.ts'
import * as reply from '../model/replies.ts'
import {
  eventsOf,
  modelServer,
  PYTHON,
  PYTHON_FIXED,
  promptIn,
  start,
  takesFirst,
  textOf,
  until,
} from '../scenario/project.ts'
import { browser, openBrowser } from './browser.ts'

/** The address that a command printed, once it has. */
async function addressOf(said: () => string): Promise<string> {
  const url = /http:\/\/127\.0\.0\.1:\d+\/#[^\s"]+/
  await until(() => url.test(said()))
  return url.exec(said())?.[0] ?? ''
}

async function pageAt(url: string): Promise<Page> {
  const opened = await openBrowser()
  onTestFinished(() => opened.close())
  const page = await opened.context.newPage()
  page.setDefaultTimeout(20_000)
  await page.goto(url)
  return page
}

const lintRun = ['run', 'lint', 'a.py', '--no-hub']

describe.skipIf('missing' in browser)(
  `the page of a command${'missing' in browser ? ` (${browser.missing})` : ''}`,
  () => {
    test('run --inspect shows the run, and stays open after its end until it is stopped', async () => {
      const cwd = folderWith({ 'a.py': PYTHON })
      const run = start(cwd, [...lintRun, '--inspect'])
      const page = await pageAt(await addressOf(run.stderr))
      await page.waitForSelector('.rows a.row:has-text("a.py")')
      await until(() => run.stderr().includes('The page stays open'))
      await page.click('.rows a.row')
      await page.waitForSelector('.mark.done')
      run.child.kill('SIGINT')
      // One finding is left for a person.
      expect((await run.ended).code, run.stderr()).toBe(1)
    })

    test('a proposal is only shown, and with --allow-actions rejected, tried again, and accepted from the page', async () => {
      const cwd = folderWith({ 'a.py': PYTHON })
      await twotrack(cwd, lintRun)
      const shown = start(cwd, ['inspect', '--last', '--port', '0'])
      const other = await pageAt(await addressOf(shown.stdout))
      // The log of the run itself is no agent.
      await other.click('.brand')
      await other.waitForSelector('.total:has-text("1 agent")')
      await other.goBack()
      // Its calls edit no file by name: what it proposes tells what it changed.
      await other.waitForSelector('.short li:has(.path:has-text("a.py")):has-text("proposed")')
      expect(await other.locator('.mark.problems_left').count()).toBe(1)
      await other.click('nav >> text=Changes')
      await other.waitForSelector('.note:has-text("--allow-actions")')
      expect(await other.locator('text=Accept 1 file').count()).toBe(0)

      const acting = start(cwd, ['inspect', '--last', '--port', '0', '--allow-actions'])
      const page = await pageAt(await addressOf(acting.stdout))
      await page.click('nav >> text=Changes')
      await page.click('text=Reject and try again')
      await page.waitForSelector('.tag.rejected')
      expect(textOf(cwd, 'a.py')).toBe(PYTHON)
      await page.click('.came a')
      await page.waitForSelector('.mark.done')
      await page.click('nav >> text=Changes')
      await page.click('text=Accept 1 file')
      await page.waitForSelector('.tag.accepted')
      expect(textOf(cwd, 'a.py')).toBe(PYTHON_FIXED)
      expect((await twotrack(cwd, ['changes', '--accepted'])).stdout).toContain('+A = 1')
      acting.child.kill('SIGINT')
      expect(await acting.ended).toMatchObject({ code: 0 })
    })

    test('a proposal that is rejected from the page leaves the project as it is', async () => {
      const cwd = folderWith({ 'a.py': PYTHON })
      expect((await twotrack(cwd, lintRun)).stdout).toMatch(/See why: .* inspect$/m)
      const acting = start(cwd, ['inspect', '--last', '--port', '0', '--allow-actions'])
      const page = await pageAt(await addressOf(acting.stdout))
      await page.click('nav >> text=Changes')
      await page.click('button:text-is("Reject")')
      await page.waitForSelector('.tag.rejected')
      expect(textOf(cwd, 'a.py')).toBe(PYTHON)
      expect(JSON.parse((await twotrack(cwd, ['runs', '--json'])).stdout)).toMatchObject([
        { standing: 'rejected' },
      ])
    })

    test('an agent that is stuck is answered from the page, and goes on from that', async () => {
      const cwd = folderWith({ 'a.py': PYTHON })
      const again = reply.says({ calls: [{ tool: 'run_linter', args: {} }] })
      const server = await modelServer(
        () => (exchange) =>
          (promptIn(exchange.body).includes('Apply the fixes first.') ? takesFirst : again)(exchange),
      )
      const model = ['--model', 'openai:small', '--url', `${server.url}/v1`]
      expect((await twotrack(cwd, [...lintRun, ...model])).code).toBe(2)
      const acting = start(cwd, ['inspect', '--last', '--port', '0', '--allow-actions'])
      const page = await pageAt(await addressOf(acting.stdout))
      await page.waitForSelector('.mark.failed')
      await page.fill('.say textarea', 'Apply the fixes first.')
      await page.keyboard.press('Enter')
      await page.waitForSelector('.came:has-text("twotrack resume")')
      await twotrack(cwd, ['resume', '--last', ...model])
      await page.waitForSelector('.mark.done')
      expect(JSON.parse((await twotrack(cwd, ['runs', '--json'])).stdout)).toMatchObject([
        { reason: 'submitted' },
      ])
    })

    test('what is said to an agent at work, from the page and by a command, is in its next prompt', async () => {
      const cwd = folderWith({ 'a.py': PYTHON })
      const said = Promise.withResolvers<void>()
      const server = await modelServer((index) => async (exchange) => {
        if (index === 0) await said.promise
        await takesFirst(exchange)
      })
      const run = start(cwd, [...lintRun, '--model', 'openai:small', '--url', `${server.url}/v1`])
      await server.received(1)
      const acting = start(cwd, ['inspect', '--last', '--port', '0', '--allow-actions'])
      const page = await pageAt(await addressOf(acting.stdout))
      await page.fill('.say textarea', 'Mind the gap, please.')
      await page.click('.say button')
      await page.waitForSelector('.came:has-text("next turn")')
      const { agent_id } = JSON.parse(
        (await twotrack(cwd, ['say', 'lint', 'And', 'keep', 'the', 'names.', '--json'])).stdout,
      ) as { agent_id: string }
      said.resolve()
      await run.ended
      const prompt = promptIn(server.requests[1]?.body)
      expect(prompt).toContain('Mind the gap, please.')
      expect(prompt).toContain('And keep the names.')
      const words = (await eventsOf(cwd, agent_id)).filter(({ type }) => type === 'person_message')
      expect(words).toHaveLength(2)
      const late = await twotrack(cwd, ['say', agent_id, 'Too late.'])
      expect(late.code).toBe(2)
      expect(late.stderr).toContain('"lint#1" has handed in its result')
      expect(late.stderr).toContain('"twotrack retry lint#1"')
    })
  },
)
