import type { Candidate, Outcome, PlanChange } from '../event/delta.ts'
import type { Settings, ToolDeclaration } from '../event/event.ts'
import type { Json } from '../event/json.ts'
import type { Packet } from './packet.ts'

/** Who said a thing. What a tool, a model or the hub said never counts as a person's word or a rule. */
export type Speaker = 'person' | 'definition' | 'model' | 'tool' | 'hub'

/** The place in the log that a delta's entries get as their source. */
export interface At {
  readonly seq: number
  readonly turn: number
  readonly from: Speaker
}

/** A value, the seq of the event that put it there, and who said it. */
export interface Sourced<T> {
  readonly value: T
  readonly ref: number
  readonly from: Speaker
}

/** A field of an event that a value comes from. */
export interface Origin {
  readonly seq: number
  /** JSON pointer into the event, as `show --event` prints it. */
  readonly field: string
  /** What of the value comes from here; all of it unless given. */
  readonly part?: string
  /** Added up over several events, or stated by the view: the field does not hold the value itself. */
  readonly counted?: boolean
}

/** Something that was said, in full. */
export interface Words extends Sourced<string> {
  readonly turn: number
}

export interface Fact extends Sourced<Json> {
  readonly source_turn: number
}

/** What failed, and what is known of it later: why, and what came instead. */
export interface Attempt extends Sourced<string> {
  readonly why?: Sourced<string>
  readonly later?: Sourced<string>
}

/** What the model found out or decided, in its own words. */
export interface KeptConclusion extends Sourced<string> {
  readonly score: number
  /** Its words: what is said again in much the same ones is told once. */
  readonly words: readonly string[]
}

/** A file that was changed: how many lines, what in it, and what was said of it, the newest last. */
export interface ChangedFile extends Sourced<string> {
  readonly added: number
  readonly removed: number
  readonly names: readonly string[]
  readonly said: readonly Sourced<string>[]
  /** What was changed before is gone again, or the file is, which was there before the run. */
  readonly fate: 'restored' | 'deleted' | null
}

/** One call and what came of it. */
export interface Action {
  readonly turn: number
  readonly tool: string
  /** null for an action that no call is known of. */
  readonly args: Json
  readonly call_id: string | null
  /** seq of the call; of the event that tells of it where no call is known. */
  readonly called: number
  readonly summary: string
  /** null while the call has no result. */
  readonly outcome: Outcome | null
  /** seq of the result; of the call while there is none. */
  readonly ref: number
  /** The readable output; empty where there is none, where it is in `files`, and where it was let go. */
  readonly output: string
  readonly highlights: readonly number[]
  /** It only looked at something: what was done tells more of a run than what was read. */
  readonly looked: boolean
}

/** Lines that stand together in a file. */
export interface Region {
  /** Number of the first line; 0 when it is not known. */
  readonly from: number
  readonly lines: readonly string[]
  /** seq of the last event that read or changed it. */
  readonly ref: number
}

/** What is known of a file's present text. */
export interface FileText {
  readonly path: string
  readonly ref: number
  readonly turn: number
  /** seq of an event that changed it since in a way that is not known. */
  readonly stale?: number
  /** In the order of their lines; those without a number last. */
  readonly regions: readonly Region[]
}

export interface PlanItem {
  readonly id: string
  readonly text: string
  readonly status: NonNullable<PlanChange['status']>
  readonly ref: number
}

/**
 * What the fold carries: everything a packet may show, and what choosing needs. Bounded by the caps in
 * `settings`, plain JSON, never rendered. A view makes the packet of it.
 */
export interface State {
  readonly settings: Settings
  readonly instructions: string
  readonly tools: readonly ToolDeclaration[]
  readonly agent_id: string
  readonly turn: number
  readonly goal: Sourced<string>
  readonly operation: string
  readonly node: Packet['node']
  readonly node_summary: Sourced<string> | null
  readonly constraints: Packet['constraints']
  /** What people said after the goal, oldest first. */
  readonly person: readonly Words[]
  readonly plan: readonly PlanItem[]
  /** What the model said, oldest first. */
  readonly thoughts: readonly Words[]
  readonly state_summary: Sourced<string> | null
  /** Oldest first. */
  readonly actions: readonly Action[]
  /** Actions that even the state no longer holds: how many, first and last ref. */
  readonly forgotten: { readonly count: number; readonly first: number; readonly last: number } | null
  /** The files that were written, edited or removed, but those that the run itself had made before; the last one last. */
  readonly changed: readonly ChangedFile[]
  /** By path; the last touched last. */
  readonly files: Readonly<Record<string, FileText>>
  readonly knowledge: Readonly<Record<string, Fact>>
  readonly knowledge_forgotten: number
  readonly focus: Sourced<{ place: string; text: string }> | null
  readonly diagnostics: readonly Sourced<string>[]
  readonly failed_attempts: readonly Attempt[]
  /** Oldest first. */
  readonly conclusions: readonly KeptConclusion[]
  readonly last_error: Sourced<string> | null
  readonly error_count: number
  /** seq of the last event that counted as an error. */
  readonly error_seq: number
  readonly candidates: Sourced<readonly Candidate[]> | null
  readonly hub: Sourced<{ context: Record<string, Json>; freshness: string }> | null
  readonly extensions: Readonly<Record<string, Sourced<Json>>>
}
