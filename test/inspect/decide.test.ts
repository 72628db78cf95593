import type { Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { folderWith, twotrack } from '../cli/run.ts'
import { PYTHON, PYTHON_FIXED, start, textOf, until } from '../scenario/project.ts'
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

    test('with --allow-actions a proposal is accepted from the page, and without it only shown', async () => {
      const cwd = folderWith({ 'a.py': PYTHON })
      await twotrack(cwd, lintRun)
      const shown = start(cwd, ['inspect', '--last', '--port', '0'])
      const other = await pageAt(await addressOf(shown.stdout))
      await other.click('nav >> text=Changes')
      await other.waitForSelector('.note:has-text("--allow-actions")')
      expect(await other.locator('text=Accept 1 file').count()).toBe(0)

      const acting = start(cwd, ['inspect', '--last', '--port', '0', '--allow-actions'])
      const page = await pageAt(await addressOf(acting.stdout))
      await page.click('nav >> text=Changes')
      await page.click('text=Accept 1 file')
      await until(() => textOf(cwd, 'a.py') === PYTHON_FIXED)
      await page.waitForSelector('text=accepted')
      expect((await twotrack(cwd, ['changes', '--accepted'])).stdout).toContain('+A = 1')
      acting.child.kill('SIGINT')
      expect(await acting.ended).toMatchObject({ code: 0 })
    })
  },
)
