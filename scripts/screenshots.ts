/**
 * Makes the pictures of the inspector in `docs/inspector/`: of the recorded run in `examples/` and of agents that lint the
 * sample project, each in a folder of its own, as a browser of this system shows them. `node scripts/screenshots.ts`
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { chromium } from 'playwright-core'
import { serveInspector } from '../src/inspect/server.ts'
import { jsonlStore } from '../src/store/jsonl/jsonl.ts'

const INTO = 'docs/inspector'
const RUN = 'import-bookshop'
const cwd = mkdtempSync(join(tmpdir(), 'twotrack-pictures-'))
cpSync('examples/sample-project', cwd, { recursive: true })
mkdirSync(join(cwd, '.git'))
const main = resolve('src/cli/main.ts')
const twotrack = (...args: string[]) =>
  execFileSync(process.execPath, [main, ...args], { cwd, env: process.env, stdio: 'ignore' })
twotrack('run', 'lint', '.', '--trust', '--fail-on', 'never')
twotrack('import', resolve('examples/trajectory.jsonl'))
twotrack('import', resolve('examples/bookshop.jsonl'))

const folder = join(cwd, '.agentfs')
const store = jsonlStore({ folder })
const server = await serveInspector({ store, folder, port: 0 })
const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
const browser = await chromium.launch({
  executablePath,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'],
})

const pictures = [
  { name: 'agents', at: '#/', ready: '.rows a.row' },
  { name: 'short', at: `#/agent/${RUN}`, ready: '.short .blindlist a' },
  { name: 'turn', at: `#/agent/${RUN}/turn/18`, ready: '.line', choose: true },
  { name: 'turn-dark', at: `#/agent/${RUN}/turn/18`, ready: '.line', choose: true, dark: true },
  { name: 'what-if', at: `#/agent/${RUN}/turn/18?tab=whatif`, ready: '.whatif output', budget: '20' },
  { name: 'charts', at: `#/agent/${RUN}?mode=charts`, ready: '.chart', dark: true },
  { name: 'phone', at: `#/agent/${RUN}/turn/18`, ready: '.line', width: 390 },
]
mkdirSync(INTO, { recursive: true })
for (const { name, at, ready, choose, dark = false, width = 1360, budget } of pictures) {
  const context = await browser.newContext({
    viewport: { width, height: width < 600 ? 844 : 820 },
    colorScheme: dark ? 'dark' : 'light',
  })
  const page = await context.newPage()
  await page.goto(server.url)
  await page.waitForSelector('.rows a.row')
  await page.goto(`http://127.0.0.1:${server.port}/${at}`)
  await page.waitForSelector(ready)
  if (choose) {
    await page.locator('.line.sourced:has-text("class")').last().click()
    await page.waitForSelector('.rawrow.lit')
  }
  if (budget !== undefined) {
    await page.locator('.whatif input[type=range]').fill(budget)
    await page.waitForSelector('.whatif .line.removed')
  }
  if (at !== '#/') await page.waitForSelector('.badge.ok')
  await page.mouse.move(0, 0)
  await page.screenshot({ path: join(INTO, `${name}.png`) })
  await context.close()
}
await browser.close()
await server.close()
await store.close()
rmSync(cwd, { recursive: true, force: true })
