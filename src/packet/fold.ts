import { TwotrackError } from '../errors.ts'
import type { Event, EventFor } from '../event/event.ts'
import { cap, cut } from '../text/cut.ts'
import { specificNames } from '../text/names.ts'
import { applyDelta } from './apply.ts'
import { forget } from './forget.ts'
import { subjectOf } from './notes.ts'
import type { State } from './state.ts'
import { say } from './uses.ts'

/** The order in which `view` fills a packet. Another order gets another number, and the old one stays readable. */
export const EVICTION_VERSION = 2

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
  const used = counted(turned, event)
  if (event.delta === undefined) return used
  const applied = applyDelta(used, event.delta, event)
  return applied === used ? used : forget(applied)
}

/** What events count towards besides their deltas: names that calls use, tokens that prompts take. */
function counted(state: State, event: Event): State {
  if (event.type === 'tool_call') return countUses(state, event)
  if (event.type !== 'model_request') return state
  return { ...state, prompt_tokens: state.prompt_tokens + event.data.prompt_tokens }
}

/** Folding many is folding one after the other, whatever the batches. */
export function foldAll(state: State | undefined, events: Iterable<Event>): State | undefined {
  let folded = state
  for (const event of events) folded = fold(folded, event)
  return folded
}

function begin(event: EventFor<'run_start'>): State {
  const { data } = event
  if (data.settings.eviction !== EVICTION_VERSION) {
    throw new TwotrackError(
      'newer_version',
      `This log fills its packets in order ${data.settings.eviction}; this twotrack knows order ${EVICTION_VERSION}. ` +
        'Read it with the version that wrote it.',
    )
  }
  const capped = {
    settings: data.settings,
    instructions: data.instructions,
    tools: data.tools,
    agent_id: event.agent_id,
    turn: event.turn,
    prompt_tokens: 0,
    goal: { value: cut(data.goal, cap(data.settings, 'goal_chars')), ref: event.seq },
    operation: event.operation,
    node: data.node,
    node_summary: cut(data.node_summary, cap(data.settings, 'state_summary_chars')),
    constraints: data.constraints,
  }
  const begun: State = {
    ...capped,
    state_summary: null,
    actions: [],
    forgotten: null,
    knowledge: {},
    knowledge_chars: 0,
    knowledge_forgotten: 0,
    calls: [],
    focus: null,
    diagnostics: [],
    failed_attempts: [],
    last_error: null,
    error_count: 0,
    error_seq: 0,
    candidates: null,
    hub: null,
    extensions: {},
  }
  return event.delta === undefined ? begun : forget(applyDelta(begun, event.delta, event))
}

const NAMES_PER_CALL_MAX = 400

/** A call that names things is a use of them: names count, and so do the knowledge entries they are keys of. */
function countUses(state: State, event: EventFor<'tool_call'>): State {
  const text = event.data.args === undefined ? '' : argsText(event.data.args)
  const said = specificNames(text).slice(0, NAMES_PER_CALL_MAX)
  if (said.length === 0) return state
  let knowledge = state.knowledge
  const used = new Set(said)
  for (const [key, entry] of Object.entries(knowledge)) {
    if (!namesSubject(used, key)) continue
    knowledge = { ...knowledge, [key]: { ...entry, used: event.seq, uses: entry.uses + 1 } }
  }
  const calls = say(state.calls, { turn: event.turn, names: said }, cap(state.settings, 'names'))
  return { ...state, knowledge, calls }
}

/** Whether the names hold all those of a key's subject: a path by itself and by its last part. */
function namesSubject(names: ReadonlySet<string>, key: string): boolean {
  const subject = specificNames(subjectOf(key))
  return subject.length > 0 && subject.every((name) => names.has(name))
}

/** Values of arguments as text, keys left out: a parameter's name is not something the agent knows. */
function argsText(args: unknown): string {
  if (typeof args === 'string') return args
  if (Array.isArray(args)) return args.map(argsText).join('\n')
  if (typeof args === 'object' && args !== null) return Object.values(args).map(argsText).join('\n')
  return args === null || args === undefined ? '' : String(args)
}
