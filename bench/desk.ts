/**
 * What the packet costs in time: a packet at every turn of a recording, one fold, and opening a log
 * beside reading, hashing and parsing the same bytes.
 *
 *     node bench/desk.ts RECORDING.jsonl [--limit 2000]
 */
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Event } from '../src/core/event/event.ts'
import { stateAt } from '../src/core/memory/at.ts'
import { fold } from '../src/core/packet/fold.ts'
import type { State } from '../src/core/packet/state.ts'
import { readTrajectory } from '../src/import/read.ts'
import { recordTrajectory } from '../src/import/record.ts'
import { jsonlStore } from '../src/store/jsonl/jsonl.ts'
import { layoutOf } from '../src/store/jsonl/layout.ts'
import { memoryStore } from '../src/store/memory.ts'

const { positionals, values } = parseArgs({ allowPositionals: true, options: { limit: { type: 'string' } } })
const [file] = positionals
if (file === undefined) throw new Error('Give a recording: node bench/desk.ts RECORDING.jsonl')
const packet_size_limit = Number(values.limit ?? 2_000)
const OPENED_EVENTS = 1_500
const ROUNDS = 5

const store = memoryStore()
const packets: number[] = []
const options = {
  store,
  agentId: 'a',
  packetSizeLimit: packet_size_limit,
  promptBudget: packet_size_limit * 2 + 4_000,
}
await recordTrajectory(readTrajectory(readFileSync(file, 'utf8'), file), options, (memory) => {
  // By the clock: a thread's processor time is told in steps of milliseconds, and what a busy machine adds falls on few.
  const begun = performance.now()
  void memory.packet
  packets.push(performance.now() - begun)
})
report('packet', packets)

const events: Event[] = []
for await (const event of store.read('a')) events.push(event)
const folds: number[] = []
let state: State | undefined
for (const event of events) {
  const begun = performance.now()
  state = fold(state, event)
  folds.push(performance.now() - begun)
}
report('fold', folds)

const folder = mkdtempSync(join(tmpdir(), 'twotrack-bench-'))
try {
  const disk = jsonlStore({ folder, durability: { interval_ms: 1_000 } })
  await recordTrajectory(readTrajectory(readFileSync(file, 'utf8'), file), {
    ...options,
    store: disk,
    newId: counter(),
  })
  const seq = Math.min(OPENED_EVENTS, (await disk.head('a'))?.seq ?? 0)
  const bytes = readFileSync(layoutOf(folder).log('a'))
  const lines = bytes.toString('utf8').split('\n').slice(0, seq)
  const opened = await best(async () => void (await stateAt(disk, 'a', { seq })))
  const plain = await best(() => {
    readFileSync(layoutOf(folder).log('a'))
    for (const line of lines) {
      createHash('sha256').update(line).digest('hex')
      JSON.parse(line)
    }
  })
  console.log(
    `open     ${seq} events: ${opened.toFixed(1)} ms; to read, hash and parse the same bytes: ` +
      `${plain.toFixed(1)} ms (${(opened / plain).toFixed(2)} ×)`,
  )
  await disk.close()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function report(what: string, times: number[]): void {
  times.sort((a, b) => a - b)
  const at = (part: number) =>
    (times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0).toFixed(2)
  console.log(
    `${what.padEnd(8)} ${times.length} times: median ${at(0.5)} ms, 95 % ${at(0.95)} ms, 99 % ${at(0.99)} ms, worst ${at(1)} ms`,
  )
}

async function best(work: () => void | Promise<void>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) {
    const begun = performance.now()
    await work()
    least = Math.min(least, performance.now() - begun)
  }
  return least
}

function counter(): () => string {
  let last = 0
  return () => `id-${++last}`
}
