import { valuesIn } from '../../text/values.ts'
import type { State } from '../packet/state.ts'
import type { Reader } from './reader.ts'

/** A line's names add up to this at the most. */
const LINE_MAX = 60

/** How much a line speaks of the work at hand: by the names that it shares with what was last thought, called and asked. */
export function interestOf(state: State, { namesIn }: Reader): (line: string) => number {
  // Made when a line is asked for: in a packet that holds everything none is.
  let weights: ReadonlyMap<string, number> | undefined
  return (line) => {
    weights ??= weightsOf(state, namesIn)
    let sum = 0
    for (const name of namesIn(line)) sum += weights.get(name) ?? 0
    return Math.min(sum, LINE_MAX)
  }
}

function weightsOf(state: State, namesIn: Reader['namesIn']): ReadonlyMap<string, number> {
  const { goal, person, plan, thoughts, diagnostics, last_error, actions } = state
  const weights = new Map<string, number>()
  const add = (weight: number, ...texts: readonly string[]): void => {
    for (const text of texts)
      for (const name of namesIn(text)) weights.set(name, Math.max(weights.get(name) ?? 0, weight))
  }
  const values = (sourced: readonly { readonly value: string }[]) => sourced.map(({ value }) => value)
  add(8, goal.value)
  add(12, ...values(thoughts.slice(-3, -1)), ...actions.slice(-4).map(({ args }) => valuesIn(args)))
  add(20, ...values(person.slice(-1)), ...values(diagnostics), last_error?.value ?? '')
  add(20, ...plan.flatMap(({ text, status }) => (status === 'active' ? [text] : [])))
  add(30, ...values(thoughts.slice(-1)))
  return weights
}
