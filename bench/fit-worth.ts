/**
 * Fits the weights of src/packet/worth-weights.ts: `node bench/fit-worth.ts DIR [--every 2] [--hold-out SOURCE]`.
 * For each recorded decision every name in the state is a candidate with its facts, and those that the next call
 * used are right. Gradient steps on the softmax over a decision's candidates (AdaGrad, seeded, so it repeats).
 */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { offersOf } from '../src/packet/choose.ts'
import { fold } from '../src/packet/fold.ts'
import type { State } from '../src/packet/state.ts'
import { eachFacts, FACTS } from '../src/packet/worth.ts'
import { decisionsOf } from './grounding-needs.ts'
import { type Recording, read } from './grounding-recording.ts'

const ROUNDS = 12
const STEP = 0.32
const DECAY = 0.0005
/** What a name used before counts against a new one. */
const REPEATED_WEIGHT = 0.4
/** A source with many decisions counts less for each of them. */
const SOURCE_DECISIONS = 100

interface Candidates {
  readonly source: string
  readonly facts: Float32Array
  /** 0 for a name that was not used. */
  readonly weights: Float32Array
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { every: { type: 'string', default: '2' }, 'hold-out': { type: 'string', default: '' } },
})
const [folder] = positionals
if (folder === undefined) {
  console.error('usage: node bench/fit-worth.ts DIR [--every N] [--hold-out SOURCE]')
  process.exit(2)
}

const decisions: Candidates[] = []
for (const [at, file] of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort().entries()) {
  const source = basename(file).replace(/__.*/, '')
  if (!file.endsWith('.jsonl') || at % Number(values.every) !== 0 || source === values['hold-out']) continue
  const recording = await read(readFileSync(join(folder, file), 'utf8'), basename(file), 'estimate-1')
  decisions.push(...candidatesOf(recording, source))
}
const weights = fit(decisions)
for (const [at, name] of FACTS.entries()) console.log(`${name.padEnd(16)} ${weights[at]?.toFixed(2)}`)
console.log(`[${[...weights].map((weight) => Number(weight.toFixed(2))).join(', ')}]`)

function candidatesOf({ task, actions, events }: Recording, source: string): Candidates[] {
  const byTurn = new Map(decisionsOf(task, actions).map((decision) => [decision.turn, decision]))
  const found: Candidates[] = []
  let state: State | undefined
  for (const event of events) {
    const decision = state && event.type === 'turn_start' ? byTurn.get(state.turn) : undefined
    if (state && decision && decision.needed.length + decision.repeated.length > 0) {
      const right = new Map([
        ...decision.repeated.map((name) => [name, REPEATED_WEIGHT / decision.repeated.length] as const),
        ...decision.needed.map((name) => [name, 1 / decision.needed.length] as const),
      ])
      const facts: number[] = []
      const counted: number[] = []
      eachFacts(state, offersOf(state).entries, (name, known) => {
        facts.push(...known)
        counted.push(right.get(name) ?? 0)
      })
      if (counted.some((weight) => weight > 0))
        found.push({ source, facts: Float32Array.from(facts), weights: Float32Array.from(counted) })
    }
    state = fold(state, event)
  }
  return found
}

function fit(all: readonly Candidates[]): Float64Array {
  const size = FACTS.length
  const weights = new Float64Array(size)
  const seen = new Float64Array(size).fill(1e-6)
  const perSource = new Map<string, number>()
  for (const { source } of all) perSource.set(source, (perSource.get(source) ?? 0) + 1)
  const random = seeded(12345)
  for (let round = 0; round < ROUNDS; round++) {
    const step = STEP / (1 + round / 2)
    for (let time = 0; time < all.length; time++) {
      const decision = all[Math.floor(random() * all.length)]
      if (!decision) continue
      const share = Math.min(2, Math.sqrt(SOURCE_DECISIONS / (perSource.get(decision.source) ?? 1)))
      const gradient = gradientOf(decision, weights)
      for (let at = 0; at < size; at++) {
        const slope = share * (gradient[at] ?? 0)
        seen[at] = (seen[at] ?? 0) + slope * slope
        const weight = weights[at] ?? 0
        weights[at] = weight + step * (slope / Math.sqrt(seen[at] ?? 1) - DECAY * weight)
      }
    }
  }
  return weights
}

/** Facts of the right names less those that the weights expect. */
function gradientOf({ facts, weights: right }: Candidates, weights: Float64Array): Float64Array {
  const size = weights.length
  const scores = Float64Array.from(right, (_, row) => {
    let score = 0
    for (let at = 0; at < size; at++) score += (weights[at] ?? 0) * (facts[row * size + at] ?? 0)
    return score
  })
  const most = scores.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)
  const chances = scores.map((score) => Math.exp(score - most))
  const all = chances.reduce((sum, chance) => sum + chance, 0)
  const rights = right.reduce((sum, weight) => sum + weight, 0)
  const gradient = new Float64Array(size)
  for (let row = 0; row < right.length; row++) {
    const pull = (right[row] ?? 0) - (rights * (chances[row] ?? 0)) / all
    for (let at = 0; at < size; at++)
      gradient[at] = (gradient[at] ?? 0) + pull * (facts[row * size + at] ?? 0)
  }
  return gradient
}

function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return state / 0x7fffffff
  }
}
