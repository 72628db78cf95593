import { cap } from '../packet/caps.ts'
import type { State } from '../packet/state.ts'
import { cutter, GOAL, joinRuns, type Text } from './cut.ts'
import type { Reader } from './reader.ts'
import type { Desk, Item } from './section.ts'

const textOf = ({ goal }: State): Text => ({ lines: goal.value.split('\n'), kind: GOAL })

/** What stands of the goal in any case: all of it, unless the run was told to make do with less. */
export function goalText(state: State, { costOfLine }: Reader): string {
  const text = textOf(state)
  const fit = cutter(text, costOfLine, () => 0)
  return joinRuns(fit(cap(state.settings, 'goal_tokens')), text.lines.length)
}

/** More of it, where there is space. */
export function goalItems({ state }: Desk): Item<string>[] {
  const stands = cap(state.settings, 'goal_tokens')
  if (stands === Number.MAX_SAFE_INTEGER) return []
  const text = { text: textOf(state), weight: 60, stands, put: (_: string, more: string) => more }
  return [{ key: 0, forms: [''], needsText: true, texts: [text], originsOf: () => [] }]
}
