import { SUBMIT_TOOL } from '../agent/submit.ts'
import type { Event, EventFor } from '../core/event/event.ts'
import { canonical, type Json } from '../core/event/json.ts'
import type { Store } from '../core/store/store.ts'
import type { Memory } from '../memory.ts'
import { sha256 } from '../sha256.ts'
import { type AgentSummary, agentSummary } from './agent-summary.ts'

/** Why a run ended, in the log's words and in a person's. */
export interface Stop {
  readonly reason: EventFor<'run_end'>['data']['reason']
  readonly summary: string
}

export const cancelled = (summary = 'stopped from outside'): Stop => ({ reason: 'cancelled', summary })

/** Why a run stops that somebody else goes on with: nothing says that it ended. */
export class GivenBack extends Error {}

/**
 * Enough to find a cycle (loop.ts).
 * @internal
 */
export const RECENT_CALLS_MAX = 18
/**
 * Our own runs have one open call at a time; other writers may have several.
 * @internal
 */
export const OPEN_CALLS_MAX = 256

/**
 * What a run needs to know besides the packet: one more fold of the same log, so that a resumed run knows as much as
 * one that was never cut. Bounded; what it names by `seq` is read from the log when it is needed.
 */
export interface RunState {
  /** What became of it so far; undefined before its first event. */
  readonly agent: AgentSummary | undefined
  /** How often each of the declared tools was called. */
  readonly calls: Readonly<Record<string, number>>
  /** The model's answer in this turn, if there is one yet. */
  readonly answer: Answer | undefined
  /** Calls that have no result yet, oldest first. */
  readonly open: readonly OpenCall[]
  /** Tools that were called as a whole, without arguments, since the last call that may have changed something. */
  readonly called_since_change: readonly string[]
  /** A digest for each call that the agent's rules propose, and whether the last call of `submit_result` is one of them. */
  readonly proposed: readonly string[]
  readonly takes_proposed: boolean
  /** seq of the submit call whose result was accepted. */
  readonly accepted: number | undefined
  /** The result that was handed in. */
  readonly submitted: { readonly seq: number; readonly summary: string } | undefined
  /** What was done lately; empty again after a run's end or after advice. */
  readonly recent: Recent
  /** The last word of the run's log that it took in, as its seq there. */
  readonly heard: number
  /** Answers without a call since the last call. */
  readonly silent_answers: number
  readonly escalations: { readonly handed: number; readonly answered_in_turn: number | undefined }
}

interface Answer {
  readonly seq: number
  /** How many of its calls were begun. */
  readonly begun: number
  /** Whether anything was made of it: calls, or an error that it had none. */
  readonly settled: boolean
}

interface OpenCall {
  readonly seq: number
  readonly call_id: string
  readonly digest: string
}

interface Recent {
  /** A digest for each of the last calls: the tool and its arguments. */
  readonly calls: readonly string[]
  /** The same together with what came of it. */
  readonly steps: readonly string[]
  readonly errors_in_a_row: number
}

const nothingRecent: Recent = { calls: [], steps: [], errors_in_a_row: 0 }

const empty: RunState = {
  agent: undefined,
  calls: {},
  answer: undefined,
  open: [],
  called_since_change: [],
  proposed: [],
  takes_proposed: false,
  accepted: undefined,
  submitted: undefined,
  recent: nothingRecent,
  heard: 0,
  silent_answers: 0,
  escalations: { handed: 0, answered_in_turn: undefined },
}

/**
 * The state after one more event. Pure.
 * @internal
 */
export function runState(before: RunState | undefined, event: Event): RunState {
  const state = { ...(before ?? empty), agent: agentSummary(before?.agent, event) }
  switch (event.type) {
    case 'run_start':
      return { ...state, calls: Object.fromEntries(event.data.tools.map(({ name }) => [name, 0])) }
    case 'candidates':
      return { ...state, proposed: event.delta?.set_candidates?.map(callDigest) ?? state.proposed }
    case 'turn_start':
      return { ...state, answer: undefined }
    case 'model_response':
      return { ...state, answer: { seq: event.seq, begun: 0, settled: false } }
    case 'tool_call':
      return afterCall(state, event)
    case 'tool_result':
      return afterResult(state, event)
    case 'agent_error':
      return afterError(state, event)
    case 'submit_result':
      return { ...state, submitted: { seq: event.seq, summary: event.data.summary } }
    case 'escalation':
      return afterEscalation(state, event)
    case 'run_end':
      return { ...state, recent: nothingRecent, silent_answers: 0 }
    case 'person_message':
      return { ...state, heard: Math.max(state.heard, event.data.said ?? 0) }
    default:
      return state
  }
}

const callDigest = ({ tool, args }: { readonly tool: string; readonly args: Json }): string =>
  sha256(`${tool}\n${canonical(args)}`)

function afterCall(state: RunState, event: EventFor<'tool_call'>): RunState {
  const { tool, call_id, effect } = event.data
  const before = effect === 'pure' || tool === SUBMIT_TOOL ? state.called_since_change : []
  const isWhole = Object.hasOwn(state.calls, tool) && canonical(event.data.args) === '{}'
  const whole = event.data.args_sha256
  const digest = whole === undefined ? callDigest(event.data) : sha256(`${tool}\n${whole}`)
  const { answer, recent, calls } = state
  const others = state.open.filter((call) => call.call_id !== call_id)
  return {
    ...state,
    calls: Object.hasOwn(calls, tool) ? { ...calls, [tool]: (calls[tool] ?? 0) + 1 } : calls,
    answer: answer && { ...answer, begun: answer.begun + 1, settled: true },
    takes_proposed: tool === SUBMIT_TOOL ? state.proposed.includes(digest) : state.takes_proposed,
    called_since_change: isWhole ? [...new Set([...before, tool])] : before,
    open: [...others, { seq: event.seq, call_id, digest }].slice(-OPEN_CALLS_MAX),
    recent: { ...recent, calls: [...recent.calls, digest].slice(-RECENT_CALLS_MAX) },
    silent_answers: 0,
  }
}

function afterResult(state: RunState, event: EventFor<'tool_result'>): RunState {
  const { tool, call_id, outcome, error = '', output_sha256 } = event.data
  const call = state.open.find((open) => open.call_id === call_id)
  const step = sha256(`${call?.digest ?? tool}\n${output_sha256}\n${error}`)
  const { recent } = state
  return {
    ...state,
    open: state.open.filter((open) => open !== call),
    accepted: tool === SUBMIT_TOOL && outcome !== 'error' ? call?.seq : state.accepted,
    recent: {
      ...recent,
      steps: [...recent.steps, step].slice(-RECENT_CALLS_MAX),
      errors_in_a_row: outcome === 'error' ? recent.errors_in_a_row + 1 : 0,
    },
  }
}

function afterError(state: RunState, { data }: EventFor<'agent_error'>): RunState {
  const { answer } = state
  return {
    ...state,
    ...(data.where === 'answer' ? { answer: answer && { ...answer, settled: true } } : {}),
    silent_answers: state.silent_answers + (data.code === 'no_call' ? 1 : 0),
  }
}

/** A bundle was handed over, or advice came back: then a run that was stuck begins anew. */
function afterEscalation(state: RunState, event: EventFor<'escalation'>): RunState {
  const { handed, answered_in_turn } = state.escalations
  return event.data.answer === undefined
    ? { ...state, escalations: { handed: handed + 1, answered_in_turn } }
    : { ...state, escalations: { handed, answered_in_turn: event.turn }, recent: nothingRecent }
}

/** Folds a whole log. */
export async function readRunState(store: Store, agentId: string): Promise<RunState> {
  let state: RunState | undefined
  for await (const event of store.read(agentId, { raw: false })) state = runState(state, event)
  return state ?? empty
}

/** Folds an agent's log once and then keeps the run state up with every event that its memory records. */
export async function followRun(memory: Memory, store: Store): Promise<() => RunState> {
  const { began } = memory
  let state = began ? runState(undefined, began) : await readRunState(store, memory.agent_id)
  memory.follow((event) => {
    state = runState(state, event)
  })
  return () => state
}
