import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { inboxOf, sayTo } from '../../src/app/inbox.ts'
import { exportPage, type InspectServer, serveInspector } from '../../src/inspect/server.ts'
import { scripted } from '../../src/model/scripted.ts'
import { startAgent } from '../../src/run/start.ts'
import { jsonlStore } from '../../src/store/jsonl/jsonl.ts'
import { defineTool } from '../../src/tool/tool.ts'
import { twotrack } from '../cli/run.ts'
import { browser, type Opened, openBrowser } from './browser.ts'

const BOOKSHOP = fileURLToPath(new URL('../../examples/bookshop.jsonl', import.meta.url))
const STRINGS = fileURLToPath(
  new URL('../../../shared/corpora/html/SecLists-XSS-Cheat-Sheet-PortSwigger.txt', import.meta.url),
)
const hostile = existsSync(STRINGS)
  ? readFileSync(STRINGS, 'utf8')
  : '<img src=x onerror=alert(1)>\n<svg onload=alert(1)>\n'

/** Says what it is told to say. */
const echo = (texts: readonly (string | Error)[]) => {
  const left = [...texts]
  return defineTool({
    name: 'look',
    description: 'Looks at something.',
    effect: 'pure',
    input: z.strictObject({ at: z.string() }),
    run: () => {
      const next = left.shift() ?? 'nothing more'
      if (next instanceof Error) throw next
      return next
    },
  })
}
const look = (at: string) => ({ tool: 'look', args: { at } })

describe.skipIf('missing' in browser)(
  `the page in a browser${'missing' in browser ? ` (${browser.missing})` : ''}`,
  () => {
    let folder: string
    let store: ReturnType<typeof jsonlStore>
    let server: InspectServer
    let opened: Opened
    let page: Page
    const dialogs: string[] = []

    beforeAll(async () => {
      const cwd = mkdtempSync(join(tmpdir(), 'twotrack-page-'))
      mkdirSync(join(cwd, '.git'))
      const { code, stderr } = await twotrack(cwd, ['import', BOOKSHOP])
      if (code !== 0) throw new Error(stderr)
      folder = join(cwd, '.agentfs')
      store = jsonlStore({ folder })
      const coloured = `${'line of a log\n'.repeat(400)}\x1b[31mFAILED\x1b[0m tests/test_shop.py::test_price - KeyError: 'isbn'\n`
      await startAgent({
        agentId: 'fixer',
        goal: 'Make the price test pass.',
        store,
        tools: [echo([coloured, new Error('ENOENT: no such file: shop/price.py'), 'x'])],
        model: scripted([look('the tests'), look('shop/price.py'), look('again')]),
        limits: { turnsMax: 3 },
      })
      await startAgent({
        agentId: 'hostile',
        goal: hostile.slice(0, 2_000),
        store,
        tools: [echo([hostile, `${hostile.slice(0, 3_000)}"><script>alert(1)</script>`])],
        model: scripted([
          look('<img src=x onerror=alert(1)>'),
          look('more'),
          { tool: 'submit_result', args: { summary: '<b onclick=alert(1)>done' } },
        ]),
      })
      server = await serveInspector({
        store,
        folder,
        port: 0,
        actions: async (agentId, asked) => {
          const { text } = z.object({ text: z.string() }).parse(asked)
          await sayTo({ store, folder }, agentId, text)
          return { said: 'It reads this at its next turn.' }
        },
      })
      opened = await openBrowser()
      page = await opened.context.newPage()
      page.setDefaultTimeout(20_000)
      page.on('dialog', (dialog) => {
        dialogs.push(dialog.message())
        dialog.dismiss().catch(() => {})
      })
      await page.goto(server.url)
    })
    afterAll(async () => {
      await opened?.close()
      await server?.close()
      await store?.close()
      rmSync(join(folder, '..'), { recursive: true, force: true })
    })

    const open = async (agentId: string, rest = '') => {
      await page.goto(`http://127.0.0.1:${server.port}/#/agent/${agentId}${rest}`)
      await page.waitForSelector('.timeline')
    }
    const turnNow = () => page.getAttribute('.bars', 'aria-valuenow').then(Number)

    test('the token leaves the address, and another page of the same browser is let in', async () => {
      expect(page.url()).not.toContain(server.token)
      const other = await opened.context.newPage()
      await other.goto(`http://127.0.0.1:${server.port}/`)
      await other.waitForSelector('.rows a.row')
      await other.close()
    })

    test('a failed agent is found, and the turn in which it failed', async () => {
      await page.selectOption('select[aria-label="Outcome"]', 'turn_limit')
      await page.waitForFunction(() => document.querySelectorAll('.rows a.row').length === 1)
      await page.click('.rows a.row')
      await page.waitForSelector('.timeline')
      await page.keyboard.press('Home')
      await page.keyboard.press('n')
      await page.waitForFunction(() => document.querySelector('.bars')?.getAttribute('aria-valuenow') === '2')
      expect(await page.textContent('.steps')).toContain('ENOENT')
      await page.keyboard.press('ArrowRight')
      await page.waitForFunction(() => document.querySelector('.bars')?.getAttribute('aria-valuenow') === '3')
    })

    test('a text in raw output is found over all agents', async () => {
      await page.goto(`http://127.0.0.1:${server.port}/#/?in=KeyError`)
      await page.waitForSelector('.hits a')
      expect(await page.textContent('.hits')).toContain('fixer')
      await page.click('.hits a')
      await page.waitForSelector('.rawrow.lit')
      expect(await page.textContent('.rawrow.lit')).toContain('KeyError')
    })

    test('a packet line leads to its raw bytes, and these to the packets that showed them', async () => {
      await open('fixer', '/turn/2')
      await page.click('.line.sourced:has-text("test_price")')
      await page.waitForSelector('.rawrow.lit')
      const lit = await page.textContent('.rawrow.lit')
      expect(lit).toContain('FAILED tests/test_shop.py::test_price')
      // Colours are shown, and the codes for them are not.
      expect(await page.locator('.rawrow.lit .fg1').textContent()).toBe('FAILED')
      await page.waitForSelector('.right .source:has-text("Shown in the packets of turns 2")')
      expect(await page.locator('.left .line.lit').count()).toBeGreaterThan(0)
      // What no packet shows says so.
      await page.locator('.raw').evaluate((box) => box.scrollTo(0, 100 * 19))
      await page.click('.rawrow:not(.shown):has-text("line of a log") >> nth=3')
      await page.waitForSelector('.right .source:has-text("No packet ever showed this")')
    })

    test('a blind spot stands at its place in the raw output', async () => {
      await open('import-bookshop', '?mode=blind')
      await page.click('.blindlist a >> nth=0')
      await page.waitForSelector('.rawrow.blind .why')
      expect(await page.textContent('.rawrow.blind .why')).toMatch(/not in the packet of turn \d+/)
    })

    test('another budget shows another packet', async () => {
      await open('import-bookshop', '/turn/20?tab=whatif')
      await page.waitForSelector('.whatif output')
      await page.locator('.whatif input[type=range]').fill('10')
      await page.waitForSelector('.whatif .line.removed')
      const note = (await page.textContent('.whatif .note')) ?? ''
      const [after = 0, before = 0] = [...note.matchAll(/[\d,]+/g)].map(([text]) =>
        Number(text.replaceAll(',', '')),
      )
      expect(after).toBeGreaterThan(0)
      expect(after).toBeLessThan(before / 2)
    })

    test('strings that want to run are text everywhere', async () => {
      for (const rest of [
        '/turn/1',
        '/turn/2',
        '/turn/2?tab=diff',
        '/turn/2?tab=desk',
        '?mode=chat',
        '?mode=charts',
        '?mode=blind',
      ]) {
        await open('hostile', rest)
        await page.waitForTimeout(150)
      }
      await open('hostile', '/turn/1')
      await page.waitForSelector('.rawrow')
      for (let top = 0; top < 6_100 * 19; top += 300 * 19) {
        await page.locator('.raw').evaluate((box, to) => box.scrollTo(0, to), top)
        await page.waitForTimeout(20)
      }
      await page.locator('summary').evaluateAll((all) => {
        for (const one of all) (one as unknown as { click(): void }).click()
      })
      expect(dialogs).toEqual([])
      const made = await page.evaluate(
        () =>
          document.querySelectorAll(
            '#app script, #app iframe, #app object, #app [onerror], #app [onclick], #app style',
          ).length,
      )
      expect(made).toBe(0)
    })

    test('an agent at work is followed, and takes in what is said to it', async () => {
      const begun = Promise.withResolvers<void>()
      const gate = Promise.withResolvers<void>()
      const wait = defineTool({
        name: 'wait',
        description: 'Waits.',
        effect: 'pure',
        input: z.strictObject({}),
        run: () => {
          begun.resolve()
          return gate.promise.then(() => 'it is over')
        },
      })
      const heard: string[] = []
      const running = startAgent({
        agentId: 'live',
        goal: 'Wait for a word.',
        store,
        tools: [wait],
        inbox: inboxOf(folder, 'live'),
        model: scripted((request, index) => {
          if (index === 1) heard.push(request.prompt.text)
          return index === 0
            ? { tool: 'wait', args: {} }
            : { tool: 'submit_result', args: { summary: 'heard' } }
        }),
      })
      await begun.promise
      await open('live')
      await page.fill('#say', 'Mind the gap, please.')
      await page.click('.say button')
      await page.waitForSelector('.say [role=status]:has-text("next turn")')
      gate.resolve()
      expect((await running).stop.reason).toBe('submitted')
      await page.waitForSelector('.mark.done')
      await page.waitForSelector('.bars circle.person')
      expect(heard.join()).toContain('Mind the gap, please.')
      expect(await page.locator('.say').count()).toBe(0)
    })

    test('a large output is read in parts', async () => {
      const lines = 200_000
      const text = Array.from({ length: lines }, (_, at) => `row ${at + 1} of a long output`).join('\n')
      await startAgent({
        agentId: 'large',
        goal: 'Print much.',
        store,
        tools: [echo([text])],
        model: scripted([look('all'), { tool: 'submit_result', args: { summary: 'printed' } }]),
      })
      await open('large', '/turn/1')
      await page.waitForSelector('.rawrow')
      await page.locator('.raw').evaluate((box) => box.scrollTo(0, box.scrollHeight))
      await page.waitForSelector(`.rawrow:has-text("row ${lines} of")`)
      expect(await page.locator('.rawrow').count()).toBeLessThan(120)
    })

    test('all of it works from the keyboard', async () => {
      await page.goto(`http://127.0.0.1:${server.port}/#/`)
      await page.waitForSelector('.rows a.row')
      await page.keyboard.press('/')
      await page.keyboard.type('price test')
      await page.waitForFunction(() => document.querySelectorAll('.rows a.row').length === 1)
      for (let tabs = 0; tabs < 12; tabs++) {
        await page.keyboard.press('Tab')
        if (await page.evaluate(() => document.activeElement?.matches('a.row') === true)) break
      }
      await page.keyboard.press('Enter')
      await page.waitForSelector('.timeline')
      const before = await turnNow()
      await page.keyboard.press('ArrowLeft')
      await page.waitForFunction(
        (turn) => document.querySelector('.bars')?.getAttribute('aria-valuenow') === String(turn - 1),
        before,
      )
      await page.locator('.left .lines').focus()
      for (let down = 0; down < 4; down++) await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      expect(await page.locator('.left .line.at').count()).toBe(1)
      await page.locator('.raw').focus()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.waitForSelector('.right .source')
    })

    test('a screen reader finds its way: no serious finding', async () => {
      const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
      const views = [
        '#/',
        '#/agent/fixer/turn/2',
        '#/agent/import-bookshop?mode=chat',
        '#/agent/import-bookshop?mode=charts',
        '#/agent/import-bookshop?mode=blind',
        '#/agent/import-bookshop/turn/20?tab=whatif',
        '#/agent/import-bookshop/turn/20?tab=desk',
      ]
      const found: string[] = []
      for (const view of views) {
        await page.goto(`http://127.0.0.1:${server.port}/${view}`)
        await page.waitForSelector(view === '#/' ? '.rows a.row' : '.timeline')
        await page.waitForFunction(() => document.querySelector('p.waiting') === null)
        await page.evaluate(axe)
        const violations = await page.evaluate(async () => {
          const { axe: run } = globalThis as unknown as {
            axe: {
              run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }>
            }
          }
          return (await run.run()).violations
        })
        for (const { id, impact, nodes } of violations)
          if (impact === 'serious' || impact === 'critical') found.push(`${view} ${id}: ${nodes[0]?.html}`)
      }
      expect(found).toEqual([])
    })

    test('on a phone nothing is wider than the screen, in the dark too', async () => {
      const phone = await openBrowser({ dark: true, width: 390 })
      try {
        const small = await phone.context.newPage()
        await small.goto(server.urlOf('import-bookshop'))
        await small.waitForSelector('.timeline')
        const wide = () => small.evaluate(() => document.documentElement.scrollWidth - innerWidth)
        expect(await wide()).toBeLessThanOrEqual(0)
        await small.click('.sides button >> nth=1')
        await small.waitForSelector('.right .rawrow')
        expect(await wide()).toBeLessThanOrEqual(0)
        expect(await small.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(
          'rgb(22, 23, 27)',
        )
      } finally {
        await phone.close()
      }
    })

    test('an exported run opens from disk, without a server or a network, and still joins lines with bytes', async () => {
      const file = join(folder, '..', 'fixer.html')
      writeFileSync(file, await exportPage({ store, folder }, 'fixer', { redact: false }))
      const asked: string[] = []
      const alone = await opened.context.newPage()
      alone.on('request', (request) => asked.push(request.url()))
      await alone.goto(`${pathToFileURL(file)}#/agent/fixer/turn/2`)
      await alone.waitForSelector('.timeline')
      await alone.click('.line.sourced:has-text("test_price")')
      await alone.waitForSelector('.rawrow.lit')
      await alone.waitForSelector('.right .source:has-text("Shown in the packets of turns 2")')
      await alone.click('.badge')
      expect(await alone.textContent('.popover')).toContain('follows from the one before')
      expect(asked.filter((url) => !url.startsWith('file:') && !url.startsWith('blob:'))).toEqual([])
      await alone.close()
    })
  },
)

test('the page is small', async () => {
  const { gzipSync } = await import('node:zlib')
  const { pageTexts } = await import('../../src/inspect/page-files.ts')
  const texts = [...(await pageTexts()).values()]
  const bytes = texts.reduce((sum, text) => sum + gzipSync(text).length, 0)
  expect(bytes).toBeLessThan(80 * 1024)
})
