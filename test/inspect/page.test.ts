import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pageTexts } from '../../src/inspect/page-files.ts'
import { exportPage } from '../../src/inspect/server.ts'
import { Memory } from '../../src/memory.ts'
import { inOtherView } from '../audit/recorded.ts'
import { browser, openBrowser } from './browser.ts'
import { pageOverAgents } from './page-over-agents.ts'

describe.skipIf('missing' in browser)(
  `the page in a browser${'missing' in browser ? ` (${browser.missing})` : ''}`,
  () => {
    let own: Awaited<ReturnType<typeof pageOverAgents>>
    let page: Page
    beforeAll(async () => {
      own = await pageOverAgents()
      page = own.page
    })
    afterAll(() => own?.close())
    const turnNow = () => page.getAttribute('.bars', 'aria-valuenow').then(Number)

    test('the token leaves the address, and another page of the same browser is let in', async () => {
      expect(page.url()).not.toContain(own.server.token)
      await page.selectOption('select[aria-label="Outcome"]', 'turn_limit')
      expect(page.url()).toContain('standing=turn_limit')
      expect(page.url()).not.toContain(own.server.token)
      const other = await own.opened.context.newPage()
      await other.goto(`http://127.0.0.1:${own.server.port}/`)
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
      await page.waitForSelector('.steps:has-text("ENOENT")')
      await page.keyboard.press('ArrowRight')
      await page.waitForFunction(() => document.querySelector('.bars')?.getAttribute('aria-valuenow') === '3')
    })

    test('a run is told in short: what was wanted, how it ended, what it changed and what failed, each with its turn', async () => {
      await own.open('import-bookshop')
      const part = (title: string) => page.locator(`.short section:has(h2:has-text("${title}"))`)
      await part('What it changed').locator('.path').first().waitFor()
      expect(await part('What was wanted').textContent()).toContain('test')
      expect(await part('How it ended').locator('.text').first().textContent()).not.toContain('imported')
      await part('What the packets did not show').locator('a').first().waitFor()
      await own.open('fixer')
      const failed = part('What failed').locator('li')
      expect(await failed.textContent()).toContain('ENOENT')
      expect(await part('How it ended').textContent()).toContain('Its last call')
      await failed.locator('a').click()
      await page.waitForSelector('.left .line')
      expect(await turnNow()).toBe(2)
      await page.waitForSelector('.steps .kind.bad')
    })

    test('a text in raw output is found over all agents', async () => {
      await own.to(`#/?in=KeyError`)
      await page.waitForSelector('.hits a')
      expect(await page.textContent('.hits')).toContain('fixer')
      expect(await page.inputValue('#search')).toBe('KeyError')
      await page.click('.hits a')
      await page.waitForSelector('.rawrow.lit')
      expect(await page.textContent('.rawrow.lit')).toContain('KeyError')
    })

    test('a packet line leads to its raw bytes, and these to the packets that showed them', async () => {
      await own.open('fixer', '/turn/2')
      await page.click('.line.sourced:has-text("test_price")')
      await page.waitForSelector('.rawrow.lit')
      const lit = await page.textContent('.rawrow.lit')
      expect(lit).toContain('FAILED tests/test_shop.py::test_price')
      // Colours are shown, and the codes for them are not.
      expect(await page.locator('.rawrow.lit .fg1').textContent()).toBe('FAILED')
      await page.waitForSelector('.right .source:has-text("Shown in the packets of turns 2")')
      expect(await page.locator('.left .line.lit').count()).toBeGreaterThan(0)
      // It came in the turn before, which is a click away with the same bytes.
      await page.click('.left .source a:has-text("turn 1")')
      await page.waitForFunction(() => document.querySelector('.bars')?.getAttribute('aria-valuenow') === '1')
      await page.waitForSelector('.rawrow.lit:has-text("test_price")')
      await page.goBack()
      await page.waitForFunction(() => document.querySelector('.bars')?.getAttribute('aria-valuenow') === '2')
      // What no packet shows says so.
      await page.locator('.raw').evaluate((box) => box.scrollTo(0, 2_000 * 19))
      await page.click('.rawrow:not(.shown):has-text("line of a log") >> nth=3')
      await page.waitForSelector('.right .source:has-text("No packet ever showed this")')
    })

    test('a blind spot stands at its place in the raw output', async () => {
      await own.open('import-bookshop', '?mode=blind')
      await page.click('.blindlist a >> nth=0')
      await page.waitForSelector('.rawrow.blind .why')
      expect(await page.textContent('.rawrow.blind .why')).toMatch(/not in the packet of turn \d+/)
    })

    test('the exact prompt is shown, and a completion only where one was recorded', async () => {
      await own.open('fixer', '/turn/2?tab=prompt')
      await page.waitForSelector('.prompt .rawrow:has-text("Make the price test pass")')
      expect(await page.locator('.failure').count()).toBe(0)
      expect(await page.locator('h3:has-text("completion")').count()).toBe(0)
    })

    test('of a damaged log what comes before the damage is shown, and what is wrong', async () => {
      const path = join(own.folder, 'traces', 'broken.jsonl')
      const memory = await Memory.open({ store: own.store, agentId: 'broken', goal: 'Find the leak.' })
      await memory.startTurn()
      const call = await memory.recordCall({ tool: 'look', args: { at: 'pipes' } })
      await memory.recordResult({ call, returned: 'a drop under the sink' })
      await memory.startTurn()
      await memory.say('Go on.')
      await memory.close()
      writeFileSync(path, readFileSync(path, 'utf8').replace('Go on.', 'Stop.'))
      await own.open('broken', '/turn/1')
      await page.waitForSelector('.failure:has-text("is damaged at line")')
      await page.waitForSelector('.rawrow:has-text("a drop under the sink")')
      await page.waitForSelector('.mark.damaged')
      await page.waitForSelector('.badge.bad')
      await page.click('nav >> text=Chat')
      await page.waitForSelector('.chat :has-text("Find the leak.")')
    })

    test('a log whose view is not known here is not called verified', async () => {
      const path = join(own.folder, 'traces', 'newer.jsonl')
      const memory = await Memory.open({ store: own.store, agentId: 'newer', goal: 'Find the leak.' })
      await memory.startTurn()
      await memory.recordRequest(await memory.prompt(), 'test')
      await memory.close()
      await inOtherView(own.store, 'newer', path)
      await own.open('newer')
      await page.waitForSelector('.badge:has-text("Prompts not checked")')
      await page.click('.badge')
      await page.waitForSelector('.popover:has-text("1 prompt not checked: shown in the view desk-next")')
    })

    test('another budget shows another packet', async () => {
      await own.open('import-bookshop', '/turn/20?tab=whatif')
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

    test('a long line of a small output is read without scrolling sideways', async () => {
      await own.open('fixer', '/turn/3')
      await page.waitForSelector('.raw.wrapped .rawrow .text')
      const longest = await page.$$eval('.rawrow .text', (rows) =>
        Math.max(...rows.map((row) => row.textContent.length)),
      )
      expect(longest).toBeGreaterThan(150)
      expect(await page.$eval('.raw', (box) => box.scrollWidth - box.clientWidth)).toBe(0)
    })

    test('the conversation says how many lines came back, also of an output that it shows a part of', async () => {
      await own.open('fixer', '?mode=chat')
      await page.waitForSelector('.chat summary')
      expect(await page.locator('.chat summary small').first().textContent()).toMatch(/^4,001 lines/)
      expect(await page.locator('.chat details.failed summary small').textContent()).toContain('fails')
    })

    test('all of it works from the keyboard', async () => {
      await own.to(`#/`)
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

    test.each(['light', 'dark'] as const)(
      'a screen reader finds its way, %s: no serious finding',
      async (scheme) => {
        await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
        const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
        const views = [
          '#/',
          '#/agent/import-bookshop',
          '#/agent/fixer/turn/2',
          '#/agent/import-bookshop?mode=chat',
          '#/agent/import-bookshop?mode=charts',
          '#/agent/import-bookshop?mode=blind',
          '#/agent/import-bookshop/turn/20?tab=whatif',
          '#/agent/import-bookshop/turn/20?tab=desk',
          '#/agent/fixer/turn/2?tab=diff',
          '#/?in=KeyError',
        ]
        const found: string[] = []
        for (const view of views) {
          await own.to(`${view}`)
          await page.waitForSelector(
            view === '#/' ? '.rows a.row' : view.startsWith('#/?') ? '.hits a' : '.timeline',
          )
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
        await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
        expect(found).toEqual([])
      },
    )

    test('on a phone nothing is wider than the screen, in the dark too', async () => {
      const phone = await openBrowser({ dark: true, width: 390 })
      try {
        const small = await phone.context.newPage()
        await small.goto(own.server.urlOf('import-bookshop'))
        await small.waitForSelector('.timeline')
        const wide = () => small.evaluate(() => document.documentElement.scrollWidth - innerWidth)
        await small.waitForSelector('.short li')
        expect(await wide()).toBeLessThanOrEqual(0)
        await small.click('nav >> text=Turns')
        await small.waitForSelector('.left .line')
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
      const file = join(own.folder, '..', 'fixer.html')
      writeFileSync(file, await exportPage(own, 'fixer', { redact: false }))
      const asked: string[] = []
      const alone = await own.opened.context.newPage()
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
  const texts = [...(await pageTexts()).values()]
  const bytes = texts.reduce((sum, text) => sum + gzipSync(text).length, 0)
  expect(bytes).toBeLessThan(80 * 1024)
})
