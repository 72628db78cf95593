import { TwotrackError } from '../../errors.ts'
import { cutMiddle } from '../../text/cut.ts'
import type { Event, EventFor, EventType, Settings } from '../event/event.ts'
import { beginAction, endActions } from './actions.ts'
import { applyDelta } from './apply.ts'
import { cap } from './caps.ts'
import { forget } from './forget.ts'
import type { At, Speaker, State, Words } from './state.ts'

/**
 * The fold: one event onto the state. Pure; an event that changes nothing returns the same reference.
 */
export function fold(state: State | undefined, event: Event): State {
  if (state === undefined) {
    if (event.type !== 'run_start') {
      throw new TwotrackError(
        'bad_event',
        `A log begins with run_start; the first event here is ${event.type}.`,
      )
    }
    return begin(event)
  }
  if (event.type === 'run_start') {
    throw new TwotrackError(
      'bad_event',
      'A log has one run_start; this is a second. Open a new agent instead.',
    )
  }
  const turned = event.turn === state.turn ? state : { ...state, turn: event.turn }
  const heard = hear(turned, event)
  const applied = event.delta === undefined ? heard : applyDelta(heard, event.delta, placeOf(event))
  return applied === turned ? turned : forget(applied, turned)
}

/**
 * Folding many is folding one after the other, whatever the batches.
 * @internal
 */
export function foldAll(state: State | undefined, events: Iterable<Event>): State | undefined {
  let folded = state
  for (const event of events) folded = fold(folded, event)
  return folded
}

const speakers: Readonly<Partial<Record<EventType, Speaker>>> = {
  person_message: 'person',
  correction: 'person',
  model_response: 'model',
  escalation: 'model',
  tool_call: 'model',
  tool_result: 'tool',
  hub_update: 'hub',
}

/** Who speaks in an event. */
export const speakerOf = (event: Event): Speaker =>
  isPersonsAnswer(event) ? 'person' : (speakers[event.type] ?? 'definition')

/** Help that names no model is a person's. */
const isPersonsAnswer = (event: Event): event is EventFor<'escalation'> =>
  event.type === 'escalation' && event.data.answer !== undefined && event.data.model === undefined

const placeOf = (event: Event): At => ({ seq: event.seq, turn: event.turn, from: speakerOf(event) })

/** What events tell by themselves, besides their deltas. */
function hear(state: State, event: Event): State {
  const at = placeOf(event)
  switch (event.type) {
    case 'person_message':
      // A run may begin without a goal: then it is the first thing that a person says.
      if (state.goal.value === '') return { ...state, goal: goalOf(state.settings, event.data.text, at.seq) }
      return { ...state, person: [...state.person, words(state, event.data.text, at)] }
    case 'correction':
      return event.data.note === ''
        ? state
        : { ...state, person: [...state.person, words(state, event.data.note, at)] }
    case 'escalation':
      return isPersonsAnswer(event)
        ? { ...state, person: [...state.person, words(state, event.data.answer ?? '', at)] }
        : state
    case 'model_response':
      return event.data.text.trim() === ''
        ? state
        : { ...state, thoughts: [...state.thoughts, words(state, event.data.text.trim(), at)] }
    case 'tool_call':
      return beginAction(state, event)
    case 'tool_result':
      return endActions(state, event)
    default:
      return state
  }
}

const words = ({ settings }: State, text: string, { seq, turn, from }: At): Words => ({
  value: cutMiddle(text, cap(settings, 'words_chars')),
  ref: seq,
  from,
  turn,
})

const goalOf = (settings: Settings, text: string, ref: number): State['goal'] => ({
  value: cutMiddle(text, cap(settings, 'goal_chars')),
  ref,
  from: 'person',
})

function begin(event: EventFor<'run_start'>): State {
  const { data } = event
  const from: Speaker = 'definition'
  const summary = data.node_summary
  const begun: State = {
    settings: data.settings,
    instructions: data.instructions,
    tools: data.tools,
    agent_id: event.agent_id,
    turn: event.turn,
    goal: goalOf(data.settings, data.goal, event.seq),
    operation: event.operation,
    node: data.node,
    node_summary: summary === '' ? null : { value: summary, ref: event.seq, from },
    constraints: data.constraints,
    person: [],
    plan: [],
    thoughts: [],
    state_summary: null,
    actions: [],
    forgotten: null,
    files: {},
    knowledge: {},
    knowledge_forgotten: 0,
    focus: null,
    diagnostics: [],
    failed_attempts: [],
    conclusions: [],
    changed: [],
    last_error: null,
    error_count: 0,
    error_seq: 0,
    candidates: null,
    hub: null,
    extensions: {},
  }
  return event.delta === undefined ? begun : forget(applyDelta(begun, event.delta, placeOf(event)), begun)
}
