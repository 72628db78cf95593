import { TwotrackError } from '../../errors.ts'
import { VALUE_DEPTH_MAX } from '../../limits.ts'
import { sha256 } from '../../sha256.ts'
import { utf8Length } from '../event/bytes.ts'
import { type Delta, outcomeSchema } from '../event/delta.ts'
import type { DataOf, Draft, EventFor } from '../event/event.ts'
import { defined, withinDepth } from '../event/json.ts'
import { type Hide, hideDerived } from './hide.ts'
import type { FinishedCall, Learner } from './learner.ts'

/** What one event may change in the packet, as JSON; a summarizer's larger delta is left out. */
const DELTA_CHARS_MAX = 2 * 1024 * 1024

type ResultDraft = Extract<Draft, { type: 'tool_result' }>

/** What is recorded of a call besides what came back. */
export interface ResultFacts extends Pick<DataOf<'tool_result'>, 'call_id' | 'duration_ms' | 'policy'> {
  /** What the tool said while it ran, for people. */
  readonly log?: string
  /** Whether candidate actions stand that were proposed before this call. */
  readonly proposed: boolean
}

/** What was called. Callers whose types nobody checked may give something else. */
export function calledIn(call: EventFor<'tool_call'> | undefined): DataOf<'tool_call'> {
  if (call?.type !== 'tool_call')
    throw new TwotrackError(
      'bad_argument',
      'A result needs its call, { call, returned }: the event that recordCall gave.',
    )
  return call.data
}

/** The event of a finished call whose texts hold no secret. Its raw output stands in it unless it is bytes or stored. */
export function draftResult(
  call: FinishedCall,
  facts: ResultFacts,
  learner: Learner,
  hide: Hide,
): ResultDraft {
  const { tool, text, bytes, stored, output, error } = call
  const { call_id, duration_ms, policy, log, proposed } = facts
  const { delta, summarizer, version, outcome } = learner.learn(call)
  const fault = faultIn(delta)
  const learned = fault === undefined ? hideDerived(hide, delta, call) : {}
  const draft: ResultDraft = {
    type: 'tool_result',
    data: {
      call_id,
      tool,
      // A summarizer's own word, where it is one.
      outcome: outcomeSchema.safeParse(outcome).data ?? call.outcome,
      ...defined({ error, summarizer, summarizer_version: version }),
      output_sha256: stored?.sha256 ?? sha256(bytes ?? text),
      output_bytes: stored?.bytes ?? bytes?.length ?? utf8Length(text),
      ...defined({ duration_ms, policy }),
    },
    // They were proposed for what was known before; rules propose anew at the next turn.
    delta: proposed ? { ...learned, set_candidates: [] } : learned,
    raw: {
      ...(bytes || stored ? {} : { raw_output: text }),
      ...(output === undefined || typeof output === 'string' ? {} : { parsed_output: output }),
      ...(log === undefined ? {} : { log: hide.hide(log) }),
    },
  }
  return fault === undefined ? draft : withoutDelta(draft, fault)
}

/** What makes a delta too large for an event; its form is checked when it is recorded. */
function faultIn(delta: Delta): string | undefined {
  if (!withinDepth(delta, VALUE_DEPTH_MAX + 4)) return 'its delta is nested too deep'
  const chars = JSON.stringify(delta).length
  return chars > DELTA_CHARS_MAX ? `its delta has ${chars} characters` : undefined
}

/** A summarizer's mistake must not cost the raw output: a delta that cannot be recorded is replaced, and named. */
export function withoutDelta(draft: ResultDraft, fault: string): ResultDraft {
  const { tool, outcome, error, summarizer, summarizer_version: _, ...data } = draft.data
  return {
    ...draft,
    data: { ...data, tool, outcome, ...defined({ error }), summarizer: `none (${summarizer}: ${fault})` },
    delta: {
      add_action: [{ tool, summary: `${outcome === 'error' ? 'Failed' : 'Ran'}; no summary`, outcome }],
      set_error: outcome === 'error' ? (error ?? `${tool} failed`) : null,
      ...(draft.delta?.set_candidates ? { set_candidates: [] } : {}),
    },
  }
}

/**
 * What is recorded in place of a result that was refused. A tool may serve several agents, and not each has its
 * extension: what can't be set is left out, and named. Undefined where the delta was not at fault.
 */
export function withoutFault(draft: Draft, { code, message }: TwotrackError): Draft | undefined {
  if (draft.type !== 'tool_result' || !['bad_event', 'bad_packet', 'limit'].includes(code)) return undefined
  const { summarizer } = draft.data
  if (summarizer.startsWith('none (')) return undefined
  const { set_extension, ...delta } = draft.delta ?? {}
  if (code !== 'bad_packet' || set_extension === undefined) return withoutDelta(draft, message)
  return { ...draft, data: { ...draft.data, summarizer: `${summarizer} (${message})` }, delta }
}
