/**
 * What a front asks often of one long log, and how long each answer takes: the median of some repetitions in one process,
 * over a jsonl store on disk. "Cold" opens the log for the question; "open" asks a log that was read before.
 *
 *     node bench/queries.ts RECORDING [--turn N] [--times 9]
 *
 * RECORDING is a file that `twotrack import` takes; it is imported into a folder that is removed afterwards.
 */
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { listAgents } from '../src/app/agents.ts'
import { eventsPage, searchRaw } from '../src/app/events.ts'
import { replayIn, shownAfter } from '../src/app/replay.ts'
import { turnsOf } from '../src/app/turns.ts'
import { blindSpots } from '../src/audit/blindspots/blindspots.ts'
import { History } from '../src/audit/history.ts'
import { whatIfTurn } from '../src/audit/whatif/whatif.ts'
import { readTrajectory } from '../src/import/read.ts'
import { recordTrajectory } from '../src/import/record.ts'
import { jsonlStore } from '../src/store/jsonl/jsonl.ts'

const { values, positionals } = parseArgs({
  options: { turn: { type: 'string' }, times: { type: 'string', default: '9' } },
  allowPositionals: true,
})
const [file] = positionals
if (file === undefined) throw new Error('Give a recording: node bench/queries.ts run.jsonl')

const folder = await mkdtemp(join(tmpdir(), 'twotrack-queries-'))
const store = jsonlStore({ folder })
const agent_id = 'bench'
const { turns, calls } = await recordTrajectory(readTrajectory(readFileSync(file, 'utf8'), file), {
  store,
  agentId: agent_id,
})
const turn = Number(values.turn ?? Math.floor(turns / 2))
const history = await History.open(store, agent_id)
const questions: Readonly<Record<string, () => Promise<unknown>>> = {
  'what became of the agent': () => listAgents(store, {}),
  'its turns': () => turnsOf(store, agent_id),
  'a page of 100 events': () => eventsPage(store, agent_id, { from: 2 * turn }),
  'a text in raw output': () => searchRaw(store, agent_id, 'a text that no output holds'),
  [`packet and prompt after turn ${turn}, cold`]: async () =>
    replayIn(await History.open(store, agent_id), { turn }),
  'the same, open': () => replayIn(history, { turn }),
  'the same with another limit, open': () => replayIn(history, { turn, limit: 1_500 }),
  [`what-if of turn ${turn} (limit), cold`]: async () =>
    whatIfTurn(await History.open(store, agent_id), turn, { limit: 1_500 }),
  'what-if of it, open': () => whatIfTurn(history, turn, { limit: 1_500 }),
  'what-if of it with other summarizers, open': () => whatIfTurn(history, turn, { summarizers: [] }),
  'bytes of raw output that its packet showed': () => shownAfter(store, agent_id, turn),
  [`blind spots of turn ${turn}`]: () => blindSpots(store, agent_id, { turn }),
}

console.log(`| of ${turns} turns and ${calls} calls | median, ms |\n| --- | --- |`)
for (const [name, ask] of Object.entries(questions))
  console.log(`| ${name} | ${(await median(ask)).toFixed(1)} |`)
await store.close()
await rm(folder, { recursive: true })

async function median(ask: () => Promise<unknown>): Promise<number> {
  const taken: number[] = []
  for (let time = 0; time < Number(values.times); time++) {
    const begun = performance.now()
    await ask()
    taken.push(performance.now() - begun)
  }
  return taken.sort((a, b) => a - b)[taken.length >> 1] ?? 0
}
