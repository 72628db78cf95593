import { messageOf } from '../../errors.ts'
import { DELTA_CHARS_MAX, VALUE_DEPTH_MAX } from '../../limits.ts'
import { sha256 } from '../../sha256.ts'
import { builtInSummarizers } from '../../summarize/built-in.ts'
import { observe } from '../../summarize/observe.ts'
import { type Registry, type Summarized, type SummarizerMode, summarize } from '../../summarize/summarize.ts'
import type { Observation, Summarizer } from '../../summarize/summarizer.ts'
import { wrapResult } from '../../tool/wrap.ts'
import { utf8Length } from '../event/bytes.ts'
import { type Delta, deltaSchema } from '../event/delta.ts'
import type { BlobRef, DataOf, Draft, EventFor } from '../event/event.ts'
import { defined, type Json, withinDepth } from '../event/json.ts'
import type { Packet } from '../packet/packet.ts'
import { type Hide, hideWrapped } from './hide.ts'

/** One finished call: what was called, what came back, and the packet before it. */
export interface Finished {
  readonly call: EventFor<'tool_call'>
  readonly returned: unknown
  readonly args: Json
  readonly turn: number
  /** Made only if a summarizer asks for it: choosing what a packet shows takes its time. */
  readonly packet: () => Packet
  /** Throws for extensions that this run can't take. */
  readonly checkExtensions: (delta: Delta) => void
  /** Whether candidate actions stand that were proposed before this call. */
  readonly proposed: boolean
  readonly duration_ms?: number
  /** What the agent's policy made of the call. */
  readonly policy?: DataOf<'tool_result'>['policy']
  /** What the tool said while it ran, for people. */
  readonly log?: string
}

/** The event of whatever a tool returned or threw. `bytes` is the raw output where it is not text. */
export function draftResult(
  finished: Finished,
  registry: Registry,
  hide: Hide,
): { draft: Draft; bytes?: Uint8Array } {
  const { call, returned, args, turn, packet, proposed, checkExtensions, duration_ms, policy, log } = finished
  const { call_id, tool } = call.data
  const { text, shown = text, bytes, output, outcome, error, own } = hideWrapped(hide, wrapResult(returned))
  const seen = observe({
    tool,
    args: hide.hideIn(args),
    text: shown,
    ...defined({ output, outcome, error, turn }),
    get packet() {
      return packet()
    },
  })
  const summarized = usable(summarize(seen, own, registry), seen, checkExtensions)
  const draft: Draft = {
    type: 'tool_result',
    data: {
      call_id,
      tool,
      outcome: summarized.outcome,
      ...defined({ error, summarizer: summarized.summarizer, summarizer_version: summarized.version }),
      output_sha256: sha256(bytes ?? text),
      output_bytes: bytes?.length ?? utf8Length(text),
      ...defined({ duration_ms, policy }),
    },
    // They were proposed for what was known before; rules propose anew at the next turn.
    delta: proposed ? { ...summarized.delta, set_candidates: [] } : summarized.delta,
    raw: {
      ...(bytes ? {} : { raw_output: text }),
      ...(output === undefined || typeof output === 'string' ? {} : { parsed_output: output }),
      ...(log === undefined ? {} : { log: hide.hide(log) }),
    },
  }
  return bytes ? { draft, bytes } : { draft }
}

/** A summarizer's mistake must not cost the raw output: a delta that cannot be recorded is replaced, and named. */
function usable(
  summarized: Summarized,
  seen: Observation,
  checkExtensions: Finished['checkExtensions'],
): Summarized {
  const fault = faultOf(summarized.delta)
  if (fault === undefined) return withExtensions(summarized, checkExtensions)
  const { tool, outcome, error } = seen
  const delta: Delta = {
    add_action: [{ tool, summary: `${outcome === 'error' ? 'Failed' : 'Ran'}; no summary`, outcome }],
    set_error: outcome === 'error' ? (error ?? `${tool} failed`) : null,
  }
  return { delta, summarizer: `none (${summarized.summarizer}: ${fault})`, outcome }
}

/** A tool may serve several agents, and not each has its extension: what can't be set is left out, and named. */
function withExtensions(summarized: Summarized, check: Finished['checkExtensions']): Summarized {
  const { set_extension, ...delta } = summarized.delta
  if (set_extension === undefined) return summarized
  try {
    check({ set_extension })
    return summarized
  } catch (thrown) {
    return { ...summarized, delta, summarizer: `${summarized.summarizer} (${messageOf(thrown)})` }
  }
}

function faultOf(delta: Delta): string | undefined {
  if (!withinDepth(delta, VALUE_DEPTH_MAX + 4)) return 'its delta is nested too deep'
  const checked = deltaSchema.safeParse(delta)
  if (!checked.success) {
    const issue = checked.error.issues[0]
    return `its delta can't be recorded: at ${issue?.path.map(String).join('.')}: ${issue?.message}`
  }
  const chars = JSON.stringify(delta).length
  return chars > DELTA_CHARS_MAX ? `its delta has ${chars} characters` : undefined
}

/** The same event when the raw bytes are in a blob already. */
export function storedAs(draft: Draft, blob: BlobRef): Draft {
  if (draft.type !== 'tool_result') return draft
  const { raw_output: _shown, ...raw } = draft.raw ?? {}
  return { ...draft, data: { ...draft.data, output_sha256: blob.sha256, output_bytes: blob.bytes }, raw }
}

/** A run's own summarizers go before the built-in ones: a record is by tool name, a list is asked in order. */
export function registryOf(
  own: Readonly<Record<string, Summarizer>> | readonly Summarizer[] = {},
  mode: SummarizerMode = 'tool_specific',
): Registry {
  const listed = Array.isArray(own)
  const list: readonly Summarizer[] = listed ? own : []
  return {
    mode,
    byTool: listed
      ? builtInSummarizers.byTool
      : { ...builtInSummarizers.byTool, ...(own as Record<string, Summarizer>) },
    general: [...list, ...builtInSummarizers.general],
  }
}
