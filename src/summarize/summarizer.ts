import type { Delta, Outcome, Learned as Summary } from '../core/event/delta.ts'
import type { BlobRef } from '../core/event/event.ts'
import { isObject, type Json } from '../core/event/json.ts'
import { cap } from '../core/packet/caps.ts'
import type { Packet } from '../core/packet/packet.ts'
import type { State } from '../core/packet/state.ts'
import { cut } from '../text/cut.ts'
import { boundedOutput, OUTPUT_CHARS_MAX } from './bounded-output.ts'
import type { CallMeaning, Intent } from './call/intent.ts'
import { isUntried } from './complaint.ts'

/** One finished call, as a summarizer sees it; `observe()` makes it. */
export interface Observation {
  readonly tool: string
  readonly args: Json
  readonly turn: number
  /** The packet before the call; undefined only before the first event. */
  readonly packet: Packet | undefined
  /** The output as the tool gave it, or JSON text of what it gave. */
  readonly text: string
  /** The same where it is no text. */
  readonly output?: Json
  readonly bytes?: Uint8Array
  readonly outcome: Outcome
  readonly error?: string
  /** What the tool itself states; nothing for foreign data. */
  readonly own?: Partial<Summary>
  /** The output as a person would read it, and as the packet shows it unless a summary gives an `output`. */
  readonly shown: string
  /** The exit code that the output's wrapping states. */
  readonly exit?: number
  /**
   * What the call was for, read from its arguments once for all.
   * @internal
   */
  readonly call: CallMeaning
  /** @internal */
  readonly state?: State | undefined
  /** @internal */
  readonly stored?: BlobRef
}

/** What the packet learns from one call. */
export type { Learned as Summary } from '../core/event/delta.ts'

/**
 * Pure: (call, result, packet) → what to remember. Runs once, before the event is appended; its result is
 * stored, so a later version never changes an old replay. `undefined` means "not mine": the next one is asked.
 */
export interface Summarizer {
  readonly name: string
  /** Recorded beside the name, so that `why` can say which one spoke; the built-in ones have the package's. */
  readonly version?: string
  summarize(seen: Observation): Summary | undefined
}

/** Checks the parts of a summarizer as it is defined, so that a mistake shows there and not in a run. */
export function defineSummarizer(summarizer: Summarizer): Summarizer {
  if (!/^[a-z][a-z0-9-]*$/.test(summarizer.name)) {
    throw new TypeError(
      `A summarizer's name is lower-case words joined by dashes; received "${summarizer.name}".`,
    )
  }
  return Object.freeze({ ...summarizer })
}

export const isSummarizer = (value: unknown): value is Summarizer =>
  isObject(value) && typeof value['name'] === 'string' && typeof value['summarize'] === 'function'

/** A step that failed, remembered so that it is not made again. */
export const failedStep = (summary: string) =>
  ({ summary, outcome: 'error', failedAttempt: cut(summary, 200) }) as const

const LOOKS: ReadonlySet<Intent['kind']> = new Set(['read', 'search', 'list'])

/** The delta of a call: its action, what was learned, and the error state. */
export function toDelta(seen: Observation, summary: Summary): Delta {
  const outcome = summary.outcome ?? seen.outcome
  const { files = [], plan = [], supersedes = [], knowledge = {} } = summary
  const { output, highlights } = boundedOutput(
    summary.output === undefined ? seen.shown : (summary.output ?? ''),
    summary.highlights ?? [],
    Math.min(OUTPUT_CHARS_MAX, seen.state ? cap(seen.state.settings, 'output_chars') : OUTPUT_CHARS_MAX),
  )
  return {
    add_action: [
      {
        tool: seen.tool,
        summary: summary.summary,
        outcome,
        ...(output === '' ? {} : { output }),
        ...(highlights.length > 0 ? { highlights: [...highlights] } : {}),
        ...(LOOKS.has(seen.call.intent.kind) ? { looked: true } : {}),
      },
    ],
    set_error: outcome === 'error' ? (ownError(seen, highlights) ?? summary.summary) : null,
    ...(files.length > 0 ? { change_files: [...files] } : {}),
    ...(plan.length > 0 ? { update_plan: [...plan] } : {}),
    ...(supersedes.length > 0 ? { supersedes: [...supersedes] } : {}),
    ...(Object.keys(knowledge).length > 0 ? { update_knowledge: { ...knowledge } } : {}),
    ...(summary.diagnostics ? { add_diagnostics: [...summary.diagnostics] } : {}),
    ...(summary.failedAttempt && !isUntried(seen.shown)
      ? { add_failed_attempt: [summary.failedAttempt] }
      : {}),
    ...(summary.focus === undefined ? {} : { set_focus: summary.focus && { ...summary.focus } }),
    ...(summary.stateSummary ? { set_state_summary: summary.stateSummary } : {}),
    ...(summary.extensions ? { set_extension: { ...summary.extensions } } : {}),
  }
}

/**
 * An error that only repeats how an output begins says less than the summary of a program, or of an output that tells
 * farther down what went wrong.
 */
function ownError({ error, exit, shown }: Observation, highlights: readonly number[]): string | undefined {
  const repeats = error !== undefined && shown.length > error.length && shown.startsWith(error)
  return repeats && (exit !== undefined || highlights.length > 0) ? undefined : error
}
