/**
 * Fits the weights of src/packet/worth-weights.ts:
 * `node bench/fit-worth.ts DIR [--every 2] [--repeated 2.6] [--hold-out SOURCE]`.
 * For each recorded decision every name in the state is a row with its facts, and right where the next call used
 * it: a logistic regression by Newton's method. With `--hold-out` the runs of that source (the part of the file's
 * name before `__`) are left out of the fit, and it says how much of what they needed the best names would hold.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { offersOf } from '../src/packet/choose.ts'
import { eachFacts, FACTS } from '../src/packet/facts.ts'
import { fold } from '../src/packet/fold.ts'
import type { State } from '../src/packet/state.ts'
import { estimate } from '../src/prompt/tokens/estimate.ts'
import { type Decision, decisionsOf } from './grounding-needs.ts'
import { type Recording, read } from './grounding-recording.ts'
import { logistic } from './logistic.ts'

/** Of names that were not used, one in so many is enough to learn from. */
const WRONG_EVERY = 7
/** What such a name weighs against the used ones of a decision, which weigh 1 together. */
const WRONG_WEIGHT = 0.02
/** A source with many decisions counts less for each of them. */
const SOURCE_DECISIONS = 100
const HELD_TOKENS = [800, 1100, 1400]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    every: { type: 'string', default: '2' },
    repeated: { type: 'string', default: '2.6' },
    'hold-out': { type: 'string', default: '' },
  },
})
const [folder] = positionals
if (folder === undefined) {
  console.error('usage: node bench/fit-worth.ts DIR [--every N] [--repeated WEIGHT] [--hold-out SOURCE]')
  process.exit(2)
}

interface Row {
  readonly facts: Float32Array
  readonly right: boolean
  readonly weight: number
}
/** The names before one decision of a run that the fit does not see. */
interface Held {
  readonly decision: Decision
  readonly names: readonly { readonly name: string; readonly facts: Float32Array }[]
}

const rows = new Map<string, { decisions: number; rows: Row[] }>()
const held: Held[] = []
for (const [at, file] of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort().entries()) {
  if (!file.endsWith('.jsonl') || at % Number(values.every) !== 0) continue
  process.stderr.write(`\r${file.padEnd(70)}`)
  const source = basename(file).replace(/__.*/, '')
  const recording = await read(readFileSync(join(folder, file), 'utf8'), basename(file), 'estimate-1')
  for (const [decision, state] of statesOf(recording)) {
    if (source === values['hold-out']) held.push(allNames(decision, state))
    else learn(source, decision, state)
  }
}
process.stderr.write('\n')

const samples = [...rows.values()].flatMap(({ decisions, rows: own }) => {
  const share = Math.min(2, Math.sqrt(SOURCE_DECISIONS / decisions))
  return own.map((row) => ({ ...row, weight: row.weight * share }))
})
const weights = logistic(samples, FACTS.length)
for (const [at, name] of FACTS.entries()) console.log(`${name.padEnd(18)} ${weights[at]?.toFixed(2)}`)
console.log(`[${weights.map((weight) => Number(weight.toFixed(2))).join(', ')}]`)
for (const tokens of held.length > 0 ? HELD_TOKENS : []) {
  const { needed, repeated } = recallOf(tokens)
  console.log(`${values['hold-out']}, ${tokens} tokens of names: ${needed} of new, ${repeated} of repeated`)
}

/** The state before each decision that used something known. */
function* statesOf({ task, actions, events }: Recording): Iterable<[Decision, State]> {
  const byTurn = new Map(decisionsOf(task, actions).map((decision) => [decision.turn, decision]))
  let state: State | undefined
  for (const event of events) {
    const decision = state && event.type === 'turn_start' ? byTurn.get(state.turn) : undefined
    if (state && decision && decision.needed.length + decision.repeated.length > 0) yield [decision, state]
    state = fold(state, event)
  }
}

function learn(source: string, { needed, repeated }: Decision, state: State): void {
  const known = rows.get(source) ?? { decisions: 0, rows: [] }
  rows.set(source, known)
  known.decisions++
  const used = new Map([
    ...repeated.map((name) => [name, Number(values.repeated) / repeated.length] as const),
    ...needed.map((name) => [name, 1 / needed.length] as const),
  ])
  let wrong = known.decisions
  eachFacts(state, offersOf(state).entries, (name, facts) => {
    const weight = used.get(name)
    if (weight === undefined && wrong++ % WRONG_EVERY !== 0) return
    const right = weight !== undefined
    known.rows.push({ facts: Float32Array.from(facts), right, weight: weight ?? WRONG_WEIGHT })
  })
}

function allNames(decision: Decision, state: State): Held {
  const names: { name: string; facts: Float32Array }[] = []
  eachFacts(state, offersOf(state).entries, (name, facts) =>
    names.push({ name, facts: Float32Array.from(facts) }),
  )
  return { decision, names }
}

/** How much of what was needed the names with the most worth per token hold. */
function recallOf(tokensMax: number): { needed: string; repeated: string } {
  const sums = { needed: [0, 0], repeated: [0, 0] }
  for (const { decision, names } of held) {
    const offered = names.map(({ name, facts }) => {
      const cost = estimate.count(` ${name}`)
      const score = facts.reduce((sum, fact, at) => sum + fact * (weights[at] ?? 0), 0)
      return { name, cost, gain: score - Math.log(cost) }
    })
    offered.sort((a, b) => b.gain - a.gain)
    const shown = new Set<string>()
    let left = tokensMax
    for (const { name, cost } of offered) {
      left -= cost
      if (left < 0) break
      shown.add(name)
    }
    for (const kind of ['needed', 'repeated'] as const) {
      const all = decision[kind]
      if (all.length === 0) continue
      const [hit = 0, count = 0] = sums[kind]
      sums[kind] = [hit + all.filter((name) => shown.has(name)).length / all.length, count + 1]
    }
  }
  const share = ([hit = 0, count = 0]: readonly number[]) => (hit / Math.max(1, count)).toFixed(3)
  return { needed: share(sums.needed), repeated: share(sums.repeated) }
}
