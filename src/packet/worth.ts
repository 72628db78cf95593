import { specificNames } from '../text/names.ts'
import { eachFacts } from './facts.ts'
import type { Entry, State } from './state.ts'
import { WEIGHTS } from './worth-weights.ts'

/**
 * How much each name in the notes is worth to the next decision: the odds that it is used, by a logistic
 * regression over its facts. The weights were fitted on recorded runs of several harnesses (bench/fit-worth.ts).
 */
export function worthOf(state: State, entries: readonly (readonly [string, Entry])[]): Map<string, number> {
  const worth = new Map<string, number>()
  eachFacts(state, entries, (name, facts) => {
    let score = 0
    for (let i = 0; i < facts.length; i++) score += (WEIGHTS[i] ?? 0) * (facts[i] ?? 0)
    worth.set(name, Math.exp(score))
  })
  return worth
}

/** Names that need not be shown again. */
export function forgetShown(worth: Map<string, number>, texts: Iterable<string>): void {
  for (const text of texts) for (const name of specificNames(text)) worth.delete(name)
}
