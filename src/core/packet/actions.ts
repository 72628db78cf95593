import { cut, cutMiddle } from '../../text/cut.ts'
import type { Delta } from '../event/delta.ts'
import type { EventFor } from '../event/event.ts'
import { cap } from './caps.ts'
import type { Action, At, State } from './state.ts'

/** A call is known from the moment it was recorded: an agent that was cut off finds it without a result. */
export function beginAction(state: State, { data, seq, turn }: EventFor<'tool_call'>): State {
  const action: Action = {
    turn,
    tool: cut(data.tool, 100),
    args: data.args,
    call_id: data.call_id,
    called: seq,
    summary: '',
    outcome: null,
    ref: seq,
    output: '',
    highlights: [],
    looked: false,
  }
  return { ...state, actions: [...state.actions, action] }
}

/** The result of a call ends its action, whether or not a delta says more of it. */
export function endActions(state: State, { data, seq }: EventFor<'tool_result'>): State {
  const at = state.actions.findLastIndex((action) => action.call_id === data.call_id)
  const action = state.actions[at]
  if (!action) return state
  return { ...state, actions: replaced(state.actions, at, { ...action, outcome: data.outcome, ref: seq }) }
}

/** `with` does the same, several times as slowly. */
function replaced(actions: readonly Action[], at: number, action: Action): readonly Action[] {
  const copy = actions.slice()
  copy[at] = action
  return copy
}

/** What a delta says of actions: of the call that this event answers, or of something no call is known of. */
export function addActions(state: State, added: NonNullable<Delta['add_action']>, at: At): State {
  if (added.length === 0) return state
  const summaryMax = cap(state.settings, 'summary_chars')
  const outputMax = cap(state.settings, 'output_chars')
  let actions = state.actions
  for (const { tool, summary, outcome, output = '', highlights = [], looked = false } of added) {
    const place = actions.findLastIndex((action) => action.ref === at.seq && action.summary === '')
    const before = actions[place]
    const action: Action = {
      turn: at.turn,
      tool: cut(tool, 100),
      args: before?.args ?? null,
      call_id: before?.call_id ?? null,
      called: before?.called ?? at.seq,
      summary: cut(summary, summaryMax) || cut(tool, 100),
      outcome,
      ref: at.seq,
      output: cutMiddle(output, outputMax),
      highlights: output.length > outputMax ? [] : highlights,
      looked,
    }
    actions = before ? replaced(actions, place, action) : [...actions, action]
  }
  return { ...state, actions }
}
