/**
 * What replaying a long log costs: a log of real tool results with their deltas is written, and another process folds it
 * from the first byte to the last packet.
 *
 *     npx node bench/replay.ts [--mb 64] [--json]
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import type { EventFor } from '../src/core/event/event.ts'
import { stateAt } from '../src/core/memory/at.ts'
import { loadTokenizer } from '../src/core/memory/tokenizer.ts'
import { packetOf } from '../src/core/view/prompt.ts'
import { readerOf } from '../src/core/view/reader.ts'
import { Memory } from '../src/memory.ts'
import { jsonlStore } from '../src/store/jsonl/jsonl.ts'

const AGENT = 'replayed'
const MB = 1024 * 1024
const { values } = parseArgs({
  options: {
    mb: { type: 'string', default: '64' },
    json: { type: 'boolean', default: false },
    replay: { type: 'string' },
  },
})

/** A file read of some 12 kB: the event holds it whole, and its delta the lines worth keeping. */
const outputOf = (turn: number): string =>
  Array.from(
    { length: 200 },
    (_, line) => `${line + 1}\texport const value_${turn}_${line} = compute(${line}, "part ${line % 7}")`,
  ).join('\n')

async function writeLog(folder: string, bytesMin: number): Promise<number> {
  const store = jsonlStore({ folder, durability: { interval_ms: 60_000 } })
  const memory = await Memory.open({
    store,
    agentId: AGENT,
    goal: 'read every file once',
    newId: sequence(),
  })
  const file = join(folder, 'traces', `${AGENT}.jsonl`)
  for (let turn = 1, bytes = 0; bytes < bytesMin; turn++) {
    await memory.record({ type: 'turn_start', data: {}, turn })
    const call = await memory.recordCall({ tool: 'read_file', args: { path: `src/part-${turn % 5000}.ts` } })
    await memory.recordResult({ call: call as EventFor<'tool_call'>, returned: outputOf(turn) })
    if (turn % 200 === 0) bytes = (await stat(file)).size
  }
  await memory.close()
  await store.close()
  return (await stat(file)).size / MB
}

function sequence(): () => string {
  let count = 0
  return () => `id-${++count}`
}

async function replay(folder: string): Promise<void> {
  setFlagsFromString('--semi-space-growth-factor=1') // as the command line does
  const begun = performance.now()
  const store = jsonlStore({ folder })
  const { state, last } = await stateAt(store, AGENT, { turn: Number.MAX_SAFE_INTEGER })
  const packet = packetOf(state, readerOf(await loadTokenizer(state.settings.tokenizer)))
  const seconds = (performance.now() - begun) / 1000
  // Of the whole process, Node itself included, as the system counts it (in KiB).
  const peak_mb = process.resourceUsage().maxRSS / 1024
  process.send?.({ events: last.seq, turn: packet.turn, peak_mb, seconds })
}

if (values.replay !== undefined) await replay(values.replay)
else {
  const folder = await mkdtemp(join(tmpdir(), 'twotrack-replay-'))
  try {
    const mb = await writeLog(folder, Number(values.mb) * MB)
    const child = fork(import.meta.filename, ['--replay', folder])
    const [measured] = await once(child, 'message')
    const row = { log_mb: Math.round(mb), ...measured }
    console.log(
      values.json
        ? JSON.stringify(row)
        : `${row.log_mb} MB, ${row.events} events: replayed in ${row.seconds.toFixed(1)} s, peak memory ${Math.round(row.peak_mb)} MB`,
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
