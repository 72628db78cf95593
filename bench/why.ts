/**
 * Does `why` find the source of every value? `node bench/why.ts DIR [--runs 50] [--every 1] [--show 0]` records
 * trajectories in DIR (`*.jsonl`, also in its folders), asks for every leaf of the packet after every turn, and checks
 * that the marked bytes stand where they are said to and hold the value, or what it was made from.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { History } from '../src/audit/history.ts'
import { readTrajectory } from '../src/import/read.ts'
import { recordTrajectory } from '../src/import/record.ts'
import { memoryStore } from '../src/store/memory.ts'
import { WhyTally } from './why-check.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '50' },
    every: { type: 'string', default: '1' },
    show: { type: 'string', default: '0' },
  },
})
const [folder] = positionals
if (folder === undefined) {
  console.error('usage: node bench/why.ts DIR [--runs 50] [--every 1] [--show 0]')
  process.exit(2)
}
const all = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.jsonl'))
  .sort()
const runs = Math.min(Number(values.runs), all.length)
const files = Array.from({ length: runs }, (_, at) => all[Math.floor((at * all.length) / runs)] ?? '')
const tally = new WhyTally(Number(values.show))
for (const [at, file] of files.entries()) {
  process.stderr.write(`\r${at + 1} of ${files.length} trajectories`)
  const store = memoryStore()
  const trajectory = readTrajectory(readFileSync(join(folder, file), 'utf8'), basename(file))
  await recordTrajectory(trajectory, { store, agentId: 'bench', packetSizeLimit: 2000 })
  await tally.add(file, await History.open(store, 'bench'), Number(values.every))
}
process.stderr.write('\n')
console.log(`${files.length} runs\n\n${tally.table()}`)
process.exitCode = tally.failed === 0 ? 0 : 1
