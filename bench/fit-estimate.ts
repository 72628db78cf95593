/**
 * Fits the weights of the estimate and prints `src/core/tokens/estimate-weights.json`.
 *
 *   npx node bench/fit-estimate.ts --texts TRAJECTORIES --also CODE --peer FOLDER > src/core/tokens/estimate-weights.json
 *
 * A logistic model of "a token ends in this gap", trained on the exact tokenizer's own cuts in the words of every
 * other source of the trajectories, of some code, and of seeded random text. Nothing of the vocabulary is kept.
 */
import { parseArgs } from 'node:util'
import { OBSERVATIONS, observeGap, SLOTS } from '../src/core/tokens/estimate-gaps.ts'
import { exactTokens } from './exact-tokens.ts'
import { fileSamples, fittedHalf, trajectorySamples } from './token-texts.ts'

const ROUNDS = 12
const RATE = 0.15
const RUN_CHARS_MAX = 64
const SCORE_STEP = 0.1
const SCORE_MAX = 80
const LEVEL_MAX = 42
const UNITS = 256
/** How far each uncertain gap leans to the safe side: its cost is p + LEAN · p · (1 − p). */
const LEAN = 0.55
const BLOCKS = [
  [0x80, 0x33ff],
  [0x4e00, 0x9fff],
  [0xac00, 0xd7a3],
  [0xfe00, 0xffff],
  [0x1f000, 0x1faff],
] as const

const { values } = parseArgs({
  options: {
    texts: { type: 'string' },
    also: { type: 'string', multiple: true },
    peer: { type: 'string' },
  },
})
if (values.texts === undefined || values.peer === undefined) throw new Error('--texts and --peer are needed')
const tokens = await exactTokens(values.peer)

let seed = 20261115
const random = (): number => {
  seed ^= seed << 13
  seed ^= seed >>> 17
  seed ^= seed << 5
  return (seed >>> 0) / 2 ** 32
}

/** How much each run weighs: often seen counts more, but less than in proportion. */
const weighRuns = (texts: Iterable<string>): Map<string, number> => {
  const weighed = new Map<string, number>()
  for (const text of texts) {
    const counts = new Map<string, number>()
    for (const [run] of text.matchAll(/(?<! ) ?(?:[A-Za-z]+|[!-/:-@[-`{-~]+)/g))
      counts.set(run, (counts.get(run) ?? 0) + 1)
    for (const [run, count] of counts) weighed.set(run, (weighed.get(run) ?? 0) + Math.sqrt(count))
  }
  return weighed
}

const randomTexts = function* (): Generator<string> {
  const letters = 'abcdefghijklmnopqrstuvwxyz'
  const digits = '0123456789'
  const punctuation = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'
  const alphabets = [
    letters,
    letters.toUpperCase(),
    letters + letters.toUpperCase(),
    `${letters}${letters.toUpperCase()}${digits}+/`,
    `${digits}abcdef`,
    `${digits}ABCDEF`,
    punctuation,
    `${letters}${letters.toUpperCase()}${digits}${punctuation} `,
    `${letters}${letters}    ____`,
    `${letters}${letters}${letters.toUpperCase()}    ____....`,
  ]
  for (const alphabet of alphabets)
    for (let index = 0; index < 400; index++)
      yield Array.from({ length: 200 }, () => alphabet[Math.floor(random() * alphabet.length)]).join('')
}

const all = trajectorySamples(values.texts)
const half = fittedHalf(all)
const code = (values.also ?? []).flatMap((folder) => {
  let index = 0
  return fileSamples(folder, 'code', (path) => /\.(ts|js|mjs|md|py)$/.test(path) && index++ % 3 === 0)
})
const texts = [...all.filter((sample) => half.has(sample.source)), ...code].map((sample) => sample.text)
const runs = [...weighRuns([...texts, ...randomTexts()])].filter(([run]) => run.length > 1)
console.error(`fitted on ${[...half].join(', ')}; ${texts.length} texts, ${runs.length} runs`)

const gapCount = runs.reduce((sum, [run]) => sum + Math.min(run.length, RUN_CHARS_MAX) - 1, 0)
const observed = new Int32Array(gapCount * OBSERVATIONS)
const cut = new Uint8Array(gapCount)
const gapWeight = new Float64Array(gapCount)
const slots = new Int32Array(OBSERVATIONS)
let filled = 0
for (const [run, weight] of runs) {
  const ends = new Set<number>()
  let position = 0
  for (const token of tokens(run)) {
    position += token.length
    ends.add(position)
  }
  let repeated = 0
  for (let at = 1; at < Math.min(run.length, RUN_CHARS_MAX); at++) {
    repeated = run.charCodeAt(at) === run.charCodeAt(at - 1) ? repeated + 1 : 0
    observeGap(run, 0, run.length, at, repeated, slots)
    observed.set(slots, filled * OBSERVATIONS)
    cut[filled] = ends.has(at) ? 1 : 0
    gapWeight[filled] = Math.min(weight ** 0.85, 30)
    filled++
  }
}

const weights = new Float64Array(SLOTS)
const squares = new Float64Array(SLOTS).fill(1e-3)
let bias = -1
const chance = (score: number): number => 1 / (1 + Math.exp(-score))
for (let round = 0; round < ROUNDS; round++) {
  for (let step = 0; step < gapCount; step++) {
    const gap = Math.floor(random() * gapCount)
    const base = gap * OBSERVATIONS
    let score = bias
    for (let index = 0; index < OBSERVATIONS; index++) score += weights[observed[base + index] ?? 0] ?? 0
    const slope = (chance(score) - (cut[gap] ?? 0)) * (gapWeight[gap] ?? 0)
    bias -= 0.0005 * slope
    for (let index = 0; index < OBSERVATIONS; index++) {
      const at = observed[base + index] ?? 0
      squares[at] = (squares[at] ?? 0) + slope * slope
      weights[at] = (weights[at] ?? 0) - (RATE * slope) / Math.sqrt(squares[at] ?? 1)
    }
  }
  console.error(`round ${round + 1} of ${ROUNDS}`)
}

const level = (weight: number): string => {
  const steps = Math.max(-LEVEL_MAX, Math.min(LEVEL_MAX, Math.round(weight / SCORE_STEP))) + 43
  return String.fromCharCode(steps + 40 < 92 ? steps + 40 : steps + 41)
}
const units = Array.from({ length: 2 * SCORE_MAX + 1 }, (_, index) => {
  const p = chance((index - SCORE_MAX) * SCORE_STEP)
  return Math.round(UNITS * Math.min(1, p + LEAN * p * (1 - p)))
})
const bits: number[] = []
for (const [first, last] of BLOCKS)
  for (let point = first; point <= last; point++)
    bits.push(tokens(String.fromCodePoint(point)).length === 1 ? 1 : 0)
const packed = Array.from({ length: Math.ceil(bits.length / 6) }, (_, index) => {
  const value = [0, 1, 2, 3, 4, 5].reduce((sum, bit) => sum | ((bits[index * 6 + bit] ?? 0) << bit), 0)
  return String.fromCharCode(value + 40 < 92 ? value + 40 : value + 41)
})

/** Read by `src/core/tokens/estimate.ts`. */
const fitted = {
  // The score of a gap before anything is observed, in tenths.
  gap_bias: Math.round(bias / SCORE_STEP),
  // What a gap costs by its score, from the lowest to the highest, in 1/256 token.
  gap_units: units,
  // Blocks of characters of which `character_bits` says, a bit each, whether one is a single token.
  character_blocks: BLOCKS,
  // Six bits to a character, from 40 on, without the backslash.
  character_bits: packed.join(''),
  // The weight of every slot in tenths: -43 is 40, without the backslash.
  gap_weights: Array.from(weights, level).join(''),
}
const fields = Object.entries(fitted).map(([name, value]) => `  "${name}": ${JSON.stringify(value)}`)
console.log(`{\n${fields.join(',\n')}\n}`)
