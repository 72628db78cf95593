import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { sayTo } from '../../src/app/say.ts'
import { serveInspector } from '../../src/inspect/server.ts'
import { scripted } from '../../src/model/scripted.ts'
import { startAgent } from '../../src/run/start.ts'
import { jsonlStore } from '../../src/store/jsonl/jsonl.ts'
import { defineTool } from '../../src/tool/tool.ts'
import { twotrack } from '../cli/run.ts'
import { openBrowser } from './browser.ts'

const BOOKSHOP = fileURLToPath(new URL('../../examples/bookshop.jsonl', import.meta.url))
const STRINGS = fileURLToPath(
  new URL('../../../shared/corpora/html/SecLists-XSS-Cheat-Sheet-PortSwigger.txt', import.meta.url),
)
const hostile = existsSync(STRINGS)
  ? readFileSync(STRINGS, 'utf8')
  : '<img src=x onerror=alert(1)>\n<svg onload=alert(1)>\n'

/** Says what it is told to say. */
export const echo = (texts: readonly (string | Error)[]) => {
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
export const look = (at: string) => ({ tool: 'look', args: { at } })

/** A folder with three agents, the page over it, and a browser that has it open. */
export async function pageOverAgents() {
  const dialogs: string[] = []
  const cwd = mkdtempSync(join(tmpdir(), 'twotrack-page-'))
  mkdirSync(join(cwd, '.git'))
  const { code, stderr } = await twotrack(cwd, ['import', BOOKSHOP])
  if (code !== 0) throw new Error(stderr)
  const folder = join(cwd, '.agentfs')
  const store = jsonlStore({ folder })
  const coloured = `${'line of a log\n'.repeat(4_000)}\x1b[31mFAILED\x1b[0m tests/test_shop.py::test_price - KeyError: 'isbn'\n`
  await startAgent({
    agentId: 'fixer',
    goal: 'Make the price test pass.',
    store,
    tools: [
      echo([
        coloured,
        new Error('ENOENT: no such file: shop/price.py'),
        `{"said":"${'a word '.repeat(60)}"}`,
      ]),
    ],
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
  const server = await serveInspector({
    store,
    folder,
    port: 0,
    actions: async (agentId, asked) => {
      const { text } = z.object({ text: z.string() }).parse(asked)
      await sayTo({ store }, agentId, text)
      return { said: 'It reads this at its next turn.' }
    },
  })
  const opened = await openBrowser()
  const page = await opened.context.newPage()
  page.setDefaultTimeout(20_000)
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message())
    dialog.dismiss().catch(() => {})
  })
  await page.goto(server.url)

  const to = (rest: string) => page.goto(`http://127.0.0.1:${server.port}/${rest}`)
  return {
    ...{ folder, store, server, opened, page, dialogs, to },
    async open(agentId: string, rest = '') {
      await to(`#/agent/${agentId}${rest}`)
      await page.waitForSelector('.timeline')
    },
    async close() {
      await opened.close()
      await server.close()
      await store.close()
      rmSync(join(folder, '..'), { recursive: true, force: true })
    },
  }
}
