/**
 * What the inspector's page takes over many agents, and for one large output, seen from a real browser: the server is a
 * process of its own.
 *
 *     node bench/inspect.ts [--agents 100000] [--large-mb 100] [--seconds 240]
 *
 * The logs are made of one recorded log, sealed anew for each agent with a word of its own, as many as a third of the
 * time allows; they are removed afterwards. Needs a Chromium (`test/inspect/browser.ts`).
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Draft, type Event, GENESIS } from '../src/core/event/event.ts'
import { seal } from '../src/core/event/line.ts'
import { markOwn } from '../src/files/own-folder.ts'
import { Memory } from '../src/memory.ts'
import { sha256 } from '../src/sha256.ts'
import { jsonlStore } from '../src/store/jsonl/jsonl.ts'
import { memoryStore } from '../src/store/memory.ts'
import { sampleNonces } from '../src/testing/sample-log.ts'
import { openBrowser } from '../test/inspect/browser.ts'

const { values } = parseArgs({
  options: {
    agents: { type: 'string', default: '100000' },
    'large-mb': { type: 'string', default: '100' },
    seconds: { type: 'string', default: '240' },
  },
})
const MAIN = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url))
const LARGE_BYTES = Number(values['large-mb']) * 1e6
const begun = performance.now()
const passed = () => (performance.now() - begun) / 1000
/** The rest is for the index, the browser and the large output. */
const MAKING_SECONDS = Number(values.seconds) / 4
/** When the first agent began. */
const START = Date.parse('2026-01-01T00:00:00.000Z')
const INDEXING_SECONDS = Number(values.seconds) * 0.7

const cwd = mkdtempSync(join(tmpdir(), 'twotrack-inspect-'))
try {
  await measured()
} finally {
  rmSync(cwd, { recursive: true })
}

async function measured(): Promise<void> {
  const folder = join(cwd, '.agentfs')
  mkdirSync(join(cwd, '.git'))
  mkdirSync(join(folder, 'traces'), { recursive: true })
  markOwn(folder)
  await recordLarge(folder)
  await inBrowser(1)
  const agents = await record(folder)
  tell(`agents made (load ${loadavg()[0]?.toFixed(1)})`, agents, '')
  const first = await served()
  const indexing = performance.now()
  let listed = 0
  while (listed < agents && passed() < INDEXING_SECONDS) {
    await sleep(500)
    listed = (await first.ask<{ total: number }>('agents?most=1')).total
  }
  tell('index made for the first time', (performance.now() - indexing) / 1000, `s (${listed} listed)`)
  await first.close()
  await inBrowser(agents)
}

async function inBrowser(agents: number): Promise<void> {
  const server = await served()
  const opened = await openBrowser()
  try {
    const page = await opened.context.newPage()
    page.setDefaultTimeout(60_000)
    const cdp = await opened.context.newCDPSession(page)
    const heap = async () => {
      await cdp.send('HeapProfiler.collectGarbage')
      return ((await cdp.send('Runtime.getHeapUsage')).usedSize / 1e6).toFixed(1)
    }
    const taken = async (what: string, work: () => Promise<unknown>) => {
      const start = performance.now()
      await work()
      tell(what, Math.round(performance.now() - start), 'ms')
    }
    const what = `first page of ${agents.toLocaleString('en-US')}, from the start of the server’s answer to rows in sight`
    await taken(what, async () => {
      await page.goto(server.url)
      await page.waitForSelector('.rows a.row')
    })
    // What the browser takes for itself: the rest is of many agents.
    if (agents === 1) return
    await taken('the same, again', async () => {
      await page.reload()
      await page.waitForSelector('.rows a.row')
    })
    await taken('answer to the first page alone', () => server.ask('agents?most=100'))
    await taken('scroll to the end of the list', async () => {
      await page.locator('.rows').evaluate((box) => box.scrollTo(0, box.scrollHeight))
      await page.waitForSelector('.rows a.row:has-text("agent-0 ")')
    })
    const word = `word${Math.floor(agents / 2)}x`
    await taken('filter by a name that one has', async () => {
      await page.keyboard.press('/')
      await page.keyboard.type(`agent-${Math.floor(agents / 2)}`)
      while ((await page.locator('.rows a.row').count()) !== 1) await sleep(10)
    })
    await taken('first hit of a text that one output holds', async () => {
      await page.goto(`http://127.0.0.1:${server.port}/#/?in=${word}`)
      await page.waitForSelector('.hits a')
    })
    await taken('first hit of a text that all outputs hold', async () => {
      await page.goto(`http://127.0.0.1:${server.port}/#/?in=passed`)
      await page.waitForSelector('.hits a')
    })
    tell('memory of the page with the list', await heap(), 'MB')
    tell('memory of the server, most', server.memory(), 'MB')
    await taken(`${values['large-mb']} MB output: from its address to rows in sight`, async () => {
      await page.goto(`http://127.0.0.1:${server.port}/#/agent/large/turn/1`)
      await page.waitForSelector('.rawrow')
    })
    await taken('the same: to its last row', async () => {
      await page.locator('.raw').evaluate((box) => box.scrollTo(0, box.scrollHeight))
      await page.waitForSelector('.rawrow:has-text("the last row")')
    })
    tell('memory of the page with it', await heap(), 'MB')
    tell('memory of the server, most', server.memory(), 'MB')
  } finally {
    await opened.close()
    await server.close()
  }
}

function tell(what: string, value: number | string, unit: string): void {
  const told = typeof value === 'number' ? value.toLocaleString('en-US', { maximumFractionDigits: 1 }) : value
  console.log(`| ${what} | ${told} ${unit} |`)
}

/** The command in a process of its own. */
async function served() {
  const child = spawn(process.execPath, ['--no-warnings', MAIN, 'inspect', '--port', '0', '--json'], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  const { url, port } = JSON.parse(line) as { url: string; port: number }
  const headers = { authorization: `Bearer ${url.split('token=')[1]}` }
  return {
    ...{ url, port },
    async ask<T>(path: string): Promise<T> {
      return (await (await fetch(`http://127.0.0.1:${port}/api/${path}`, { headers })).json()) as T
    },
    memory: () => {
      const [, kb] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? []
      return Math.round(Number(kb) / 1e3)
    },
    async close() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** An agent whose one call gave back very much. */
async function recordLarge(folder: string): Promise<void> {
  const store = jsonlStore({ folder })
  const row = 'a row of a build that says a little about each of its many steps\n'
  await recordOne(store, 'large', `${row.repeat(Math.ceil(LARGE_BYTES / row.length))}the last row`)
  await store.close()
}

async function recordOne(store: ReturnType<typeof memoryStore>, agentId: string, output: string) {
  const memory = await Memory.open({ store, agentId, operation: 'fix', goal: 'Make the tests pass' })
  await memory.startTurn()
  const args = { command: 'npm test' }
  const call = await memory.recordCall({ tool: 'shell', args })
  await memory.recordResult({ call, returned: output, args, durationMs: 120 })
  await memory.record({ type: 'run_end', data: { reason: 'submitted', summary: 'done' } })
  await memory.close()
}

/** Logs written at once, as many as there is time for. */
async function record(folder: string): Promise<number> {
  const store = memoryStore()
  await recordOne(store, 'template', 'OUTPUT')
  const events: Event[] = []
  for await (const event of store.read('template')) events.push(event)
  const wanted = Number(values.agents)
  for (let at = 0; at < wanted; at++) {
    if (at % 1_000 === 0 && passed() > MAKING_SECONDS) return at
    writeFileSync(join(folder, 'traces', `agent-${at}.jsonl`), linesOf(events, at))
  }
  return wanted
}

function linesOf(events: readonly Event[], at: number): string {
  const agent_id = `agent-${at}`
  const own = { agent_id, run_id: `run-${at % 100}`, operation: at % 3 === 0 ? 'lint' : 'fix' }
  let prev = GENESIS
  let lines = ''
  for (const { raw, ...draft } of events) {
    const text = `4 of word${at}x passed\n${'a line of what a test said\n'.repeat(10)}`
    const drafted = (
      raw ? { ...draft, raw: 'raw_output' in raw ? { ...raw, raw_output: text } : raw } : draft
    ) as Draft
    const timestamp = new Date(START + at * 1_000).toISOString()
    const one = seal(drafted, { ...draft, ...own, timestamp, prev, nonces: sampleNonces(agent_id) }, sha256)
    lines += `${one.line}\n`
    prev = one.event.hash
  }
  return lines
}
