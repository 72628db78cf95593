import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { exportPage } from '../../src/inspect/server.ts'
import { scripted } from '../../src/model/scripted.ts'
import { startAgent } from '../../src/run/start.ts'
import { defineTool } from '../../src/tool/tool.ts'
import { browser } from './browser.ts'
import { echo, look, pageOverAgents } from './page-over-agents.ts'

describe.skipIf('missing' in browser)(
  `what agents do, in a browser${'missing' in browser ? ` (${browser.missing})` : ''}`,
  () => {
    let own: Awaited<ReturnType<typeof pageOverAgents>>
    let page: Page
    beforeAll(async () => {
      own = await pageOverAgents()
      page = own.page
    })
    afterAll(() => own?.close())

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
        await own.open('hostile', rest)
        await page.waitForTimeout(150)
      }
      await own.open('hostile', '/turn/1')
      await page.waitForSelector('.rawrow')
      for (let top = 0; top < 6_100 * 19; top += 300 * 19) {
        await page.locator('.raw').evaluate((box, to) => box.scrollTo(0, to), top)
        await page.waitForTimeout(20)
      }
      await page.locator('summary').evaluateAll((all) => {
        for (const one of all) (one as unknown as { click(): void }).click()
      })
      expect(own.dialogs).toEqual([])
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
        store: own.store,
        tools: [wait],
        model: scripted((request, index) => {
          if (index === 1) heard.push(request.prompt.text)
          return index === 0
            ? { tool: 'wait', args: {} }
            : { tool: 'submit_result', args: { summary: 'heard' } }
        }),
      })
      await begun.promise
      await own.open('live')
      await page.fill('#say', 'Mind the gap, please.')
      await page.click('.say button')
      await page.waitForSelector('.came:has-text("next turn")')
      gate.resolve()
      expect((await running).stop.reason).toBe('submitted')
      await page.waitForSelector('.mark.done')
      await page.waitForSelector('.bars circle.person')
      expect(heard.join()).toContain('Mind the gap, please.')
      expect(await page.locator('.say').count()).toBe(0)
    })

    test('who goes through turns fast asks for one at a time, and for the last after it', async () => {
      await own.open('import-bookshop', '/turn/2')
      await page.waitForSelector('[aria-label="The packet of turn 2"]')
      const asked: string[] = []
      const pressed = Promise.withResolvers<void>()
      await page.route('**/turn/*', async (route) => {
        asked.push(route.request().url().split('/').at(-1) ?? '')
        await pressed.promise
        await route.continue()
      })
      for (let turn = 3; turn <= 20; turn++) await page.keyboard.press('ArrowRight')
      await expect.poll(() => asked.length).toBe(1)
      pressed.resolve()
      await page.waitForSelector('[aria-label="The packet of turn 20"]')
      await page.unroute('**/turn/*')
      expect(asked).toEqual([asked[0], '20'])
    })

    test('an image is shown as an image, in an exported file too', async () => {
      const png = Buffer.from(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
        'base64',
      )
      await startAgent({
        agentId: 'image',
        goal: 'Look at the chart.',
        store: own.store,
        tools: [
          defineTool({
            name: 'chart',
            description: 'Gives back a picture.',
            effect: 'pure',
            input: z.strictObject({}),
            run: () => png,
          }),
        ],
        model: scripted([
          { tool: 'chart', args: {} },
          { tool: 'submit_result', args: { summary: 'seen' } },
        ]),
      })
      const file = join(own.folder, '..', 'image.html')
      writeFileSync(file, await exportPage(own, 'image', { redact: false }))
      const served = `http://127.0.0.1:${own.server.port}/#/agent/image/turn/1`
      for (const url of [served, `${pathToFileURL(file)}#/agent/image/turn/1`]) {
        await page.goto(url)
        const image = page.locator('.picture img')
        await image.waitFor()
        await image.evaluate((one) => (one as unknown as { decode(): Promise<void> }).decode())
        expect(await image.evaluate((one) => (one as unknown as { naturalWidth: number }).naturalWidth)).toBe(
          1,
        )
      }
    })

    test('a large output is read in parts', async () => {
      const lines = 200_000
      const text = Array.from({ length: lines }, (_, at) => `row ${at + 1} of a long output`).join('\n')
      await startAgent({
        agentId: 'large',
        goal: 'Print much.',
        store: own.store,
        tools: [echo([text])],
        model: scripted([look('all'), { tool: 'submit_result', args: { summary: 'printed' } }]),
      })
      await own.open('large', '/turn/1')
      await page.waitForSelector('.rawrow')
      await page.locator('.raw').evaluate((box) => box.scrollTo(0, box.scrollHeight))
      await page.waitForSelector(`.rawrow:has-text("row ${lines} of")`)
      expect(await page.locator('.rawrow').count()).toBeLessThan(120)
    })
  },
)
