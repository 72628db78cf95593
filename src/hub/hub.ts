/** The hub: what is known of the code now. One verb, `pull`. A run works without one. */

import { z } from 'zod'
import type { Json } from '../core/event/json.ts'

const edges = z.array(z.strictObject({ key: z.string(), certain: z.boolean() }))

/** What is known of one node. Wire format: it goes over the hub's socket and to people as it is. */
export const stateSchema = z.strictObject({
  /** The same key as everywhere: `path:Qualified.name`. */
  key: z.string(),
  path: z.string(),
  type: z.enum(['file', 'class', 'function', 'method']),
  /** One line, without decorators and body; empty for a file. */
  signature: z.string(),
  /** First line. */
  docstring: z.string().nullable(),
  /** The signature changed since the docstring did. */
  docstring_outdated: z.boolean(),
  /** As written in the source. */
  callees: z.array(z.string()),
  /** Null when only a few files were read: then the callers are not known. */
  callers: edges.nullable(),
  tests: edges.nullable(),
  start_line: z.int(),
  end_line: z.int(),
  source_hash: z.string(),
  file_hash: z.string(),
  /** The file can't be parsed now: this is its last good state, or what could be recovered where there is none. */
  stale: z.boolean(),
  /** The file's own time. */
  updated_at: z.string(),
})
export type NodeState = z.infer<typeof stateSchema>

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
  /** Safe to call twice. */
  close(): Promise<void>
}

/** The name under which people implement the port for their own sources. */
export type HubClient = Hub

/** The latest of some times, '' of none. ISO times in UTC sort as text. */
export const latest = (times: readonly string[]): string => times.toSorted().at(-1) ?? ''

export const freshnessOf = (states: readonly NodeState[]): string =>
  latest(states.map(({ updated_at }) => updated_at))
