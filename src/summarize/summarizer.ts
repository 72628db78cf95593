import type { Delta, FileChange, Outcome, PlanChange } from '../core/event/delta.ts'
import type { Json } from '../core/event/json.ts'
import type { Packet } from '../core/packet/packet.ts'
import { cut } from '../text/cut.ts'
import type { Call, Intent } from './call/intent.ts'

/** One finished call, as a summarizer sees it; `observe()` makes it. */
export interface Observation {
  readonly tool: string
  readonly args: Json
  /** What the call was for, read from its arguments once for all. */
  readonly call: Call
  /** The raw output as text. */
  readonly text: string
  /** The same as a person would read it, and as the packet shows it unless a summary gives an `output`. */
  readonly shown: string
  /** The exit code that the output's wrapping states. */
  readonly exit?: number
  /** The structured output, where the tool gave one. */
  readonly output?: Json
  /** As the tool states it, and by its exit code. */
  readonly outcome: Outcome
  readonly error?: string
  readonly turn: number
  /** The packet before this call; undefined only before the first event. */
  readonly packet: Packet | undefined
}

/** What the packet learns from one call. */
export interface Summary {
  /** One or two sentences, outcome before process: what was done to what, and how it ended. */
  readonly summary: string
  /** When the output shows it better than the tool's own word: lint issues found is `partial`. */
  readonly outcome?: Outcome
  /**
   * The output in readable form, where the raw text is not: a page without its markup, JSON as lines. The packet shows
   * it verbatim, cut where there is too little space. Unless given, it is the raw text without terminal escapes and
   * wrapper noise; null says that there is nothing to show besides the summary and `files`.
   */
  readonly output?: string | null
  /** Lines of the output, from 0, that must stay when it is cut: errors, failures, places. Most important first. */
  readonly highlights?: readonly number[]
  /** File text that this call read, or changed. */
  readonly files?: readonly FileChange[]
  /** Changes of the agent's plan; begin with null to replace it. */
  readonly plan?: readonly (PlanChange | null)[]
  /** A few facts by name: counts, ids, states. Not text: that is in the output. */
  readonly knowledge?: Readonly<Record<string, Json>>
  /** Knowledge keys that this output makes obsolete. */
  readonly supersedes?: readonly string[]
  /** Open problems; begin with null to replace those known before. */
  readonly diagnostics?: readonly (string | null)[]
  readonly failedAttempt?: string
  /** The excerpt to work on next; null when there is none any more. */
  readonly focus?: { readonly place: string; readonly text: string } | null
  readonly stateSummary?: string
  /** Values of registered extensions, by name. */
  readonly extensions?: Readonly<Record<string, Json>>
}

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

/** A step that failed, remembered so that it is not made again. */
export const failedStep = (summary: string) =>
  ({ summary, outcome: 'error', failedAttempt: cut(summary, 200) }) as const

const LOOKS: ReadonlySet<Intent['kind']> = new Set(['read', 'search', 'list'])

/** The delta of a call: its action, what was learned, and the error state. */
export function toDelta(seen: Observation, summary: Summary): Delta {
  const outcome = summary.outcome ?? seen.outcome
  const { output, highlights = [], files = [], plan = [], supersedes = [], knowledge = {} } = summary
  const shown = output === undefined ? seen.shown : (output ?? '')
  return {
    add_action: [
      {
        tool: seen.tool,
        summary: summary.summary,
        outcome,
        ...(shown === '' ? {} : { output: shown }),
        ...(highlights.length > 0 ? { highlights: [...highlights] } : {}),
        ...(LOOKS.has(seen.call.intent.kind) ? { looked: true } : {}),
      },
    ],
    set_error: outcome === 'error' ? (seen.error ?? summary.summary) : null,
    ...(files.length > 0 ? { change_files: [...files] } : {}),
    ...(plan.length > 0 ? { update_plan: [...plan] } : {}),
    ...(supersedes.length > 0 ? { supersedes: [...supersedes] } : {}),
    ...(Object.keys(knowledge).length > 0 ? { update_knowledge: { ...knowledge } } : {}),
    ...(summary.diagnostics ? { add_diagnostics: [...summary.diagnostics] } : {}),
    ...(summary.failedAttempt ? { add_failed_attempt: [summary.failedAttempt] } : {}),
    ...(summary.focus === undefined ? {} : { set_focus: summary.focus && { ...summary.focus } }),
    ...(summary.stateSummary ? { set_state_summary: summary.stateSummary } : {}),
    ...(summary.extensions ? { set_extension: { ...summary.extensions } } : {}),
  }
}
