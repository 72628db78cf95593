import type { Delta, Outcome } from '../event/delta.ts'
import type { Json } from '../event/json.ts'
import type { Packet } from '../packet/packet.ts'

/** One finished call, as a summarizer sees it. */
export interface Observation {
  readonly tool: string
  readonly args: Json
  /** The raw output as text: what a person would read. */
  readonly text: string
  /** The structured output, where the tool gave one. */
  readonly output?: Json
  readonly outcome: Outcome
  readonly error?: string
  readonly turn: number
  /** The packet before this call; undefined only before the first event. */
  readonly packet: Packet | undefined
}

/** What the packet learns from one call. */
export interface Summary {
  /** One or two sentences, outcome before process. */
  readonly summary: string
  /** When the output shows it better than the tool's own word: lint issues found is `partial`. */
  readonly outcome?: Outcome
  readonly knowledge?: Readonly<Record<string, Json>>
  /** Knowledge keys that this output makes obsolete. */
  readonly supersedes?: readonly string[]
  /** Open problems; begin with null to replace those known before. */
  readonly diagnostics?: readonly (string | null)[]
  readonly failedAttempt?: string
  readonly focus?: { readonly place: string; readonly text: string }
  readonly stateSummary?: string
}

/**
 * Pure: (call, result, packet) → what to remember. Runs once, before the event is appended; its result is
 * stored, so a later version never changes an old replay. `undefined` means "not mine": the next one is asked.
 */
export interface Summarizer {
  readonly name: string
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

/** The delta of a call: its action, what was learned, and the error state. */
export function toDelta(seen: Observation, summary: Summary): Delta {
  const outcome = summary.outcome ?? seen.outcome
  return {
    add_action: [{ tool: seen.tool, summary: summary.summary, outcome }],
    set_error: outcome === 'error' ? (seen.error ?? summary.summary) : null,
    ...(summary.supersedes && summary.supersedes.length > 0 ? { supersedes: [...summary.supersedes] } : {}),
    ...(summary.knowledge && Object.keys(summary.knowledge).length > 0
      ? { update_knowledge: { ...summary.knowledge } }
      : {}),
    ...(summary.diagnostics ? { add_diagnostics: [...summary.diagnostics] } : {}),
    ...(summary.failedAttempt ? { add_failed_attempt: [summary.failedAttempt] } : {}),
    ...(summary.focus ? { set_focus: { ...summary.focus } } : {}),
    ...(summary.stateSummary ? { set_state_summary: summary.stateSummary } : {}),
  }
}
