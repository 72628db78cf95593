/**
 * Are files shown as they are? `node bench/files.ts DIR` records every trajectory in DIR (`*.jsonl`, also in its folders). Each
 * time a file is read again, the lines that the state knew at these numbers are compared with the lines that stand there.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { FileChange } from '../src/core/event/delta.ts'
import { fold } from '../src/core/packet/fold.ts'
import type { FileText, State } from '../src/core/packet/state.ts'
import { readTrajectory } from '../src/import/read.ts'
import { recordTrajectory } from '../src/import/record.ts'
import { memoryStore } from '../src/store/memory.ts'
import { isSamePath } from '../src/text/paths.ts'

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('Give a folder of recordings: node bench/files.ts DIR')

const tally = { known: { reads: 0, wrongReads: 0, right: 0, wrong: 0 }, stale: { right: 0, wrong: 0 } }
const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.jsonl'),
)
for (const [at, name] of names.sort().entries()) {
  process.stderr.write(`\r${at + 1} of ${names.length} trajectories`)
  const store = memoryStore()
  const trajectory = readTrajectory(readFileSync(join(folder, name), 'utf8'), basename(name))
  await recordTrajectory(trajectory, { store, agentId: 'a', packetSizeLimit: 2_000 })
  let state: State | undefined
  for await (const event of store.read('a')) {
    for (const change of readsAlone(event.delta?.change_files ?? [])) compare(change, state)
    state = fold(state, event)
  }
}
process.stderr.write('\n')
const { known, stale } = tally
console.log(
  `${known.reads} files read again, ${known.wrongReads} of them with a line that was not as it was known`,
)
console.log(`lines as they were known: ${known.right}, not: ${known.wrong} (${percent(known)} %)`)
console.log(`of files marked as changed since: ${stale.right}, not: ${stale.wrong} (${percent(stale)} %)`)

type Read = Extract<FileChange, { kind: 'read' }>

/** An event that also changes the file shows it as it is after that. */
function readsAlone(changes: readonly FileChange[]): Read[] {
  const reads = changes.filter((change): change is Read => change.kind === 'read')
  return reads.length === changes.length ? reads : []
}

function compare({ path, from, text }: Read, state: State | undefined): void {
  const file = Object.values(state?.files ?? {}).find((one) => isSamePath(one.path, path))
  if (!file) return
  let [right, wrong] = [0, 0]
  for (const [at, line] of text.split('\n').entries()) {
    const before = lineOf(file, from + at)
    if (before === line) right++
    else if (before !== undefined) wrong++
  }
  const to = file.stale === undefined ? tally.known : tally.stale
  to.right += right
  to.wrong += wrong
  if (to !== tally.known || right + wrong === 0) return
  tally.known.reads++
  if (wrong > 0) tally.known.wrongReads++
}

function lineOf({ regions }: FileText, number: number): string | undefined {
  const region = regions.find(({ from, lines }) => from > 0 && from <= number && number < from + lines.length)
  return region?.lines[number - region.from]
}

function percent({ right, wrong }: { right: number; wrong: number }): string {
  return ((100 * wrong) / Math.max(1, right + wrong)).toFixed(1)
}
