import type { Candidate } from '../event/delta.ts'
import type { Settings, ToolDeclaration } from '../event/event.ts'
import type { Json } from '../event/json.ts'
import type { Action, Packet } from './packet.ts'
import type { Said } from './uses.ts'

/** The place in the log that a delta's entries get as their source. */
export interface At {
  readonly seq: number
  readonly turn: number
}

/** A value and the seq of the event that put it there. */
export interface Sourced<T> {
  readonly value: T
  readonly ref: number
}

/** One piece of knowledge, and what the bound needs to weigh it. */
export interface Entry {
  readonly value: Json
  readonly source_turn: number
  readonly ref: number
  /** seq of the last call that named it, or of its source. */
  readonly used: number
  readonly uses: number
}

/**
 * What the fold carries: everything a packet may show, and what choosing needs. Bounded by the caps in
 * `settings`, plain JSON, never rendered. `view` makes the packet of it.
 */
export interface State {
  readonly settings: Settings
  readonly instructions: string
  readonly tools: readonly ToolDeclaration[]
  readonly agent_id: string
  readonly turn: number
  /** Of all prompts so far. */
  readonly prompt_tokens: number
  readonly goal: Sourced<string>
  readonly operation: string
  readonly node: Packet['node']
  readonly node_summary: string
  readonly constraints: Packet['constraints']
  readonly state_summary: Sourced<string> | null
  /** Newest last; the window is shown, older ones are named. */
  readonly actions: readonly Action[]
  /** Actions that even the state no longer holds: how many, first and last ref. */
  readonly forgotten: { readonly count: number; readonly first: number; readonly last: number } | null
  readonly knowledge: Readonly<Record<string, Entry>>
  readonly knowledge_chars: number
  readonly knowledge_forgotten: number
  /** What calls named, oldest first; a name that was used is likelier to be needed. */
  readonly calls: readonly Said[]
  readonly focus: Sourced<{ place: string; text: string }> | null
  readonly diagnostics: readonly Sourced<string>[]
  readonly failed_attempts: readonly Sourced<string>[]
  readonly last_error: Sourced<string> | null
  readonly error_count: number
  /** seq of the last event that counted as an error. */
  readonly error_seq: number
  readonly candidates: Sourced<readonly Candidate[]> | null
  readonly hub: Sourced<{ context: Record<string, Json>; freshness: string }> | null
  readonly extensions: Readonly<Record<string, Sourced<Json>>>
}
