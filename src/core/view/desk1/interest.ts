import { specificNames } from '../../../text/names.ts'
import { valuesIn } from '../../../text/values.ts'
import type { State } from '../../packet/state.ts'

/** A line's names add up to this at the most. */
const LINE_MAX = 60

/** How much a line speaks of the work at hand: by the names that it shares with what was last thought, called and asked. */
export function interestOf(state: State): (line: string) => number {
  // Made when a line is asked for: in a packet that holds everything none is.
  let weights: ReadonlyMap<string, number> | undefined
  const known = new Map<string, number>()
  return (line) => {
    const before = known.get(line)
    if (before !== undefined) return before
    weights ??= weightsOf(state)
    let sum = 0
    for (const name of specificNames(line)) sum += weights.get(name) ?? 0
    const interest = Math.min(sum, LINE_MAX)
    known.set(line, interest)
    return interest
  }
}

function weightsOf({ goal, person, plan, thoughts, diagnostics, last_error, actions }: State) {
  const weights = new Map<string, number>()
  const add = (text: string, weight: number): void => {
    for (const name of specificNames(text)) weights.set(name, Math.max(weights.get(name) ?? 0, weight))
  }
  add(goal.value, 8)
  for (const { value } of person.slice(-1)) add(value, 20)
  for (const { text, status } of plan) if (status === 'active') add(text, 20)
  for (const { value } of thoughts.slice(-3, -1)) add(value, 12)
  for (const { value } of thoughts.slice(-1)) add(value, 30)
  for (const { value } of diagnostics) add(value, 20)
  if (last_error) add(last_error.value, 20)
  for (const { args } of actions.slice(-4)) add(valuesIn(args), 12)
  return weights
}
