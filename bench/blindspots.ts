/**
 * Does `blindspots` name what a packet did not hold? `node bench/blindspots.ts DIR [--limit 2000] [--every 1] [--show 0]`
 * records the trajectories in DIR (`*.jsonl`, also in its folders). For every decision that needed a name from earlier
 * output (grounding-needs.ts) which the packet did not hold, it looks for that name in the first ten spots of the
 * decision, and in the first ten and fifty of the whole log.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Spot } from '../src/audit/blindspots/spot.ts'
import { blameText, mergedSpots } from '../src/audit/blindspots/spot.ts'
import { Walk } from '../src/audit/blindspots/walk.ts'
import { logSourceOf, readEvent, readerFor } from '../src/audit/history.ts'
import { promptOf } from '../src/core/view/prompt.ts'
import { readTrajectory } from '../src/import/read.ts'
import { recordTrajectory } from '../src/import/record.ts'
import { memoryStore } from '../src/store/memory.ts'
import { decisionsOf, kindOf, namesOf } from './grounding-needs.ts'
import { actionsOf } from './grounding-recording.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    limit: { type: 'string', default: '2000' },
    every: { type: 'string', default: '1' },
    show: { type: 'string', default: '0' },
  },
})
const [folder] = positionals
if (folder === undefined) {
  console.error('usage: node bench/blindspots.ts DIR [--limit 2000] [--every 1] [--show 0]')
  process.exit(2)
}
const FIRST = 10
const AGENT = 'bench'
const holds = (spots: readonly Spot[], name: string): boolean =>
  spots.some(
    ({ names, text }) => names.some((one) => one.toLowerCase() === name) || text.toLowerCase().includes(name),
  )

/** One trajectory, recorded, with the prompt before each decision. */
async function recorded(file: string) {
  const store = memoryStore()
  const trajectory = readTrajectory(readFileSync(join(folder ?? '', file), 'utf8'), basename(file))
  const { steps, actions } = await actionsOf(trajectory)
  const views = new Map<number, string>()
  await recordTrajectory(
    { ...trajectory, steps },
    { store, agentId: AGENT, packetSizeLimit: Number(values.limit) },
    async (memory, turn) => {
      views.set(turn, (await memory.prompt()).text)
    },
  )
  return { store, actions, views, task: trajectory.goal ?? '' }
}

const total = {
  runs: 0,
  decisions: 0,
  needing: 0,
  blind: 0,
  missing: 0,
  first: 0,
  whole: 0,
  anywhere: 0,
  log: 0,
  fifty: 0,
}
const causes = new Map<string, { missing: number; found: number }>()
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.jsonl'))
  .sort()
  .filter((_, at) => at % Number(values.every) === 0)
let left = Number(values.show)
for (const [at, file] of files.entries()) {
  process.stderr.write(`\r${at + 1} of ${files.length} trajectories`)
  const { store, actions, views, task } = await recorded(file)
  const reader = await readerFor(AGENT, await readEvent(store, AGENT, 1))
  const walk = new Walk(logSourceOf(store, AGENT), (_, state) => promptOf(state, reader))
  for await (const event of store.read(AGENT)) await walk.event(event)
  const decisions = await walk.end()
  const spotsOf = new Map(decisions.map(({ turn, spots }) => [turn, mergedSpots(spots)]))
  const ofLog = mergedSpots(decisions.flatMap(({ spots }) => spots))
  total.runs++
  total.decisions += walk.decisions
  for (const { turn, needed, actions: taken } of decisionsOf(task, actions)) {
    const next = actions[taken]
    const view = views.get(turn)
    if (!next || next.turn === turn || view === undefined || needed.length === 0) continue
    total.needing++
    const shown = namesOf(view)
    const missing = needed.filter((name) => !shown.has(name))
    if (missing.length === 0) continue
    total.blind++
    const spots = spotsOf.get(next.turn) ?? []
    let found = 0
    for (const name of missing) {
      total.missing++
      const spot = spots.find((one) => holds([one], name))
      const isFirst = holds(spots.slice(0, FIRST), name)
      if (isFirst) found++
      if (spot) total.anywhere++
      if (holds(ofLog.slice(0, FIRST), name)) total.log++
      if (holds(ofLog.slice(0, 50), name)) total.fifty++
      const cause = spot
        ? blameText(spot.blame)
        : view.toLowerCase().includes(name)
          ? 'shown, as part of a longer name'
          : 'not found'
      const counts = causes.get(cause) ?? { missing: 0, found: 0 }
      causes.set(cause, { missing: counts.missing + 1, found: counts.found + (isFirst ? 1 : 0) })
      if (!isFirst && left-- > 0)
        console.error(
          `\n${file}, turn ${next.turn}: ${kindOf(name)} ${name} (${cause}) of ${missing.length} missing, ${spots.length} spots`,
        )
    }
    total.first += found
    if (found === missing.length) total.whole++
  }
}
process.stderr.write('\n')
const percent = (part: number, all: number): string => `${((100 * part) / Math.max(1, all)).toFixed(1)} %`
console.log(`${total.runs} runs, ${total.decisions} decisions, ${total.needing} that needed a name from earlier output
${total.blind} of these decisions lacked one or more, ${total.missing} names in all
names among the first ${FIRST} spots of their decision: ${total.first} (${percent(total.first, total.missing)})
decisions whose missing names are all there: ${total.whole} (${percent(total.whole, total.blind)})
names in any spot of their decision: ${total.anywhere} (${percent(total.anywhere, total.missing)})
names among the first ${FIRST} spots of the whole log: ${total.log} (${percent(total.log, total.missing)}), among the first 50: ${total.fifty} (${percent(total.fifty, total.missing)})
`)
console.log('| cause | missing names | of them in the first ten |\n| --- | --- | --- |')
for (const [cause, { missing, found }] of [...causes].sort((a, b) => b[1].missing - a[1].missing))
  console.log(`| ${cause} | ${missing.toLocaleString('en-US')} | ${percent(found, missing)} |`)
