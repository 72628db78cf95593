/**
 * Does the packet hold what the next decision needs? `npm run bench:grounding -- DIR [--budgets 500,1000,2000,3000]
 * [--every 1] [--tokenizer estimate-1] [--plots DIR]` records every trajectory in DIR (`*.jsonl`, also in its
 * folders), looks at the prompt before each decision, and prints tables for docs/grounding.md.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { lineChart } from './grounding-plot.ts'
import { read } from './grounding-recording.ts'
import { type Score, scoreOf, Tally } from './grounding-score.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    budgets: { type: 'string', default: '500,1000,2000,3000' },
    every: { type: 'string', default: '1' },
    tokenizer: { type: 'string', default: 'estimate-1' },
    plots: { type: 'string' },
  },
})
const [folder] = positionals
if (folder === undefined) {
  console.error(
    'usage: npm run bench:grounding -- DIR [--budgets 500,1000] [--every N] [--tokenizer NAME] [--plots DIR]',
  )
  process.exit(2)
}
/** Later turns are reached by too few runs for a mean. */
const TURNS_PLOTTED_MAX = 60
const budgets = values.budgets.split(',').map(Number)
const main = budgets.includes(2000) ? 2000 : (budgets.at(-1) ?? 2000)
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.jsonl'))
  .sort()
  .filter((_, at) => at % Number(values.every) === 0)

const byBudget = new Map(budgets.map((budget) => [budget, new Tally()]))
const bySource = new Map(budgets.map((budget) => [budget, new Map<string, Tally>()]))
const tokens = { packet: [] as number[][], history: [] as number[][] }

for (const [at, file] of files.entries()) {
  process.stderr.write(`\r${at + 1} of ${files.length} trajectories`)
  const recording = await read(readFileSync(join(folder, file), 'utf8'), basename(file), values.tokenizer)
  const source = basename(file).replace(/__.*/, '')
  for (const budget of budgets) {
    const score: Score = scoreOf(recording, budget)
    byBudget.get(budget)?.add(score)
    const sources = bySource.get(budget)
    const tally = sources?.get(source) ?? new Tally()
    tally.add(score)
    sources?.set(source, tally)
    if (budget !== main) continue
    for (const [turn, { packet, history }] of score.tokens.entries()) {
      tokens.packet[turn] = [...(tokens.packet[turn] ?? []), packet]
      tokens.history[turn] = [...(tokens.history[turn] ?? []), history]
    }
  }
}
process.stderr.write('\n')

const whole = byBudget.get(main) ?? new Tally()
console.log(`${files.length} trajectories, ${whole.turns} decisions that needed something new\n`)
console.log(`Recall by budget (tokens, ${values.tokenizer})\n\n${Tally.head('budget')}`)
for (const [budget, tally] of byBudget) console.log(tally.row(budget.toLocaleString('en-US')))
for (const [budget, tally] of byBudget) {
  console.log(`\nRecall by source at ${budget} tokens\n\n${Tally.head('source')}`)
  for (const [source, own] of bySource.get(budget) ?? []) console.log(own.row(source))
  console.log(`\nShare of needed names held, by kind, at ${budget} tokens\n\n${tally.kinds()}`)
}
const sum = (rows: readonly number[][]) => rows.flat().reduce((total, count) => total + count, 0)
const [packet, history] = [sum(tokens.packet), sum(tokens.history)]
console.log(
  `\nPrompt tokens of all turns together: packet ${packet.toLocaleString('en-US')}, whole history ` +
    `${history.toLocaleString('en-US')} (${(history / packet).toFixed(1)} times as many)`,
)

if (values.plots !== undefined) {
  mkdirSync(values.plots, { recursive: true })
  const recall = (name: string) => ({
    name,
    points: [...byBudget].map(([budget, tally]): [number, number] => [budget, tally.recall(name)]),
  })
  const mean = (rows: readonly number[][]) =>
    rows.slice(0, TURNS_PLOTTED_MAX).map((row, at): [number, number] => [at + 1, sum([row]) / row.length])
  const overBudget = ['packet', 'tail', 'head and tail', 'masked'].map(recall)
  const overTurns = [
    { name: 'packet', points: mean(tokens.packet) },
    { name: 'whole history', points: mean(tokens.history) },
  ]
  writeFileSync(
    join(values.plots, 'grounding-recall.svg'),
    lineChart(
      'What the next decision needed, held in the view',
      'tokens of the packet',
      'recall',
      overBudget,
    ),
  )
  writeFileSync(
    join(values.plots, 'grounding-tokens.svg'),
    lineChart('Prompt tokens over turns', 'turn', 'tokens, mean of the runs that got there', overTurns),
  )
}
