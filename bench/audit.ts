/**
 * Time and memory of the commands that look back, over many logs. Run: node bench/audit.ts [logs] [folder] [store]
 *
 * The logs are one small run (prompts, calls, an error, a large output) recorded again under other names; the folder is
 * removed at the end unless it was given.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Draft, Event } from '../src/event/event.ts'
import { GENESIS } from '../src/event/event.ts'
import { type Sealed, seal } from '../src/event/line.ts'
import { Memory } from '../src/memory/memory.ts'
import { sha256 } from '../src/sha256.ts'
import { jsonlStore } from '../src/store/jsonl/jsonl.ts'
import { kvStore } from '../src/store/kv/kv.ts'
import { memoryStore } from '../src/store/memory.ts'
import { getBlob, type Store } from '../src/store/store.ts'

const [count = '10000', given, kind = 'jsonl'] = process.argv.slice(2)
const folder = given ?? mkdtempSync(join(tmpdir(), 'twotrack-audit-'))
const MAIN = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url))

/** One run in memory, whose events are the pattern of all. */
async function pattern(): Promise<{ store: Store; events: Event[] }> {
  const store = memoryStore()
  const memory = await Memory.open({ store, agent_id: 'pattern', goal: 'Fix the lint issues of src/app.py' })
  for (let turn = 1; turn <= 4; turn++) {
    await memory.startTurn()
    await memory.recordRequest(await memory.prompt(), 'small')
    const usage = { prompt_tokens: 900 + turn, completion_tokens: 40 }
    await memory.record({
      type: 'model_response',
      data: { model: 'small', text: 'Next.', calls: [], usage, latency_ms: 800 },
    })
    const call = await memory.recordCall({ tool: 'run_linter', args: { path: `src/app_${turn}.py` } })
    const output =
      turn === 2
        ? new Error('ruff: no such file')
        : `src/app.py:${turn}:1: F401 unused\n`.repeat(turn === 3 ? 900 : 20)
    await memory.recordResult(call, output, undefined, { duration_ms: 120 })
  }
  await memory.record({ type: 'submit_result', data: { summary: 'done' } })
  await memory.record({ type: 'run_end', data: { reason: 'submitted', summary: 'done' } })
  const events: Event[] = []
  for await (const event of store.read('pattern')) events.push(event)
  return { store, events }
}

async function generate(store: Store): Promise<void> {
  const { store: from, events } = await pattern()
  for (const { sha256: digest } of events.flatMap(({ raw }) => Object.values(raw?.blobs ?? {})))
    await store.putBlob(await getBlob(from, digest), 'text')
  for (let log = 0; log < Number(count); log++) {
    const agent_id = `lint-${log}`
    const sealed: Sealed[] = []
    let prev = GENESIS
    for (const event of events) {
      const { seq, turn, timestamp } = event
      const identity = { id: `${log}-${seq}`, run_id: `run-${log % 100}`, agent_id, operation: 'lint' }
      const one = seal(
        event as Draft,
        { ...identity, node_id: `src/app_${log}.py`, seq, turn, timestamp, prev },
        sha256,
      )
      sealed.push(one)
      prev = one.event.hash
    }
    const writer = await store.open(agent_id)
    await writer.append(sealed, 0)
    await writer.close()
  }
}

const REPORT_MEMORY =
  'data:text/javascript,process.on("exit",()=>process.stderr.write("\\nrss "+process.resourceUsage().maxRSS))'

function measure(...args: string[]): void {
  const begun = performance.now()
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    ['--no-warnings', '--import', REPORT_MEMORY, MAIN, ...args, '--store', kind, '--folder', folder],
    { encoding: 'utf8', maxBuffer: 2 ** 30 },
  )
  const seconds = ((performance.now() - begun) / 1000).toFixed(1)
  const memory = Math.round(Number(/rss (\d+)$/.exec(stderr)?.[1] ?? 0) / 1024)
  console.log(
    `| ${args.join(' ')} | ${seconds} s | ${memory} MB | ${Math.round(stdout.length / 1000)} kB, exit ${status} |`,
  )
}

const isNew = !existsSync(join(folder, 'traces')) && !existsSync(join(folder, 'agent.db'))
if (isNew) {
  const durability = { interval_ms: 1000 }
  const store =
    kind === 'kv'
      ? kvStore({ file: join(folder, 'agent.db'), durability })
      : jsonlStore({ folder, durability })
  const begun = performance.now()
  await generate(store)
  await store.close()
  console.log(`${count} logs made in ${Math.round((performance.now() - begun) / 1000)} s\n`)
}
console.log(`| ${count} logs (${kind}) | time | memory | output |\n| --- | --- | --- | --- |`)
measure('report')
measure('report', '--format', 'html')
measure('report', '--json')
measure('report', '--run', 'run-7')
measure('transcript', 'lint-77')
measure('escalate', 'lint-77')
measure('compact', '--older-than', '0d')
measure('compact', '--older-than', '0d', '--archive-older-than', '0d', '--apply')
measure('report')
if (given === undefined) rmSync(folder, { recursive: true, force: true })
