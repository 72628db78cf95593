/** The hub: what is known of the code now. One verb, `pull`. A run works without one. */

import type { Json } from '../core/event/json.ts'
import type { CodeGraph } from '../nodes/edges.ts'

/** Nodes that one pull asks for; more are not looked up. */
export const NODES_MAX = 32

/** What is known of one node. Wire format: it goes to people and other programs as it is. */
export interface NodeState {
  /** The same key as everywhere: `path:Qualified.name`. */
  key: string
  path: string
  type: 'file' | 'class' | 'function' | 'method'
  /** One line, without decorators and body; empty for a file. */
  signature: string
  /** First line. */
  docstring: string | null
  /** The signature changed since the docstring did. */
  docstring_outdated: boolean
  /** As written in the source. */
  callees: string[]
  /** Who calls it outside of tests; of a file, the files that import it. Null while not all files are known. */
  callers: { key: string; certain: boolean }[] | null
  /** The same in test files. */
  tests: { key: string; certain: boolean }[] | null
  start_line: number
  end_line: number
  source_hash: string
  file_hash: string
  /** The file can't be parsed now: this is its last good state, or what could be recovered where there is none. */
  stale: boolean
  /** The file's own time. */
  updated_at: string
}

export interface HubAnswer {
  /**
   * The states of the nodes asked for, in that order, without those that are not known; or none at all when nothing
   * about these nodes changed since `since`.
   */
  states: NodeState[]
  /** Nodes asked for that are not in the code now. */
  missing?: string[]
  /** What a source has to say that is no state of code, by node or subject; shown as it is, as far as the budget goes. */
  facts?: Record<string, Json>
  /** The states' own newest time, never now; empty when there are none. */
  freshness: string
  /** Who answered: it is recorded. */
  source: string
  /** Something that a person who reads the log should know: the hub went away. Said once. */
  note?: string
}

/**
 * A source of node states. To bring in another one (a wiki, a tracker), implement this. `pull` does not throw because
 * something is gone or damaged: it answers with less and says so in `note`. It rejects only when `signal` fires.
 */
export interface Hub {
  readonly name: string
  /** `since` is the `freshness` of the last answer, undefined at first. */
  pull(nodes: readonly string[], since: string | undefined, signal?: AbortSignal): Promise<HubAnswer>
  /**
   * All of the code, for tools that follow imports and calls; a source that is not about code has none.
   * @internal
   */
  graph?(signal?: AbortSignal): Promise<CodeGraph>
  /** Safe to call twice. */
  close(): Promise<void>
}

/** The latest of their times, '' of none. ISO times in UTC sort as text. */
export const freshnessOf = (states: readonly NodeState[]): string =>
  states
    .map(({ updated_at }) => updated_at)
    .sort()
    .at(-1) ?? ''
