import { z } from 'zod'
import type { Header } from '../event/event.ts'
import type { LogEntry, LogFilter } from './store.ts'

const entrySchema = z.strictObject({
  agent_id: z.string(),
  run_id: z.string(),
  operation: z.string(),
  node_id: z.string(),
  created: z.string(),
})

/** An entry that was read from an index; undefined when it is none. */
export const parseEntry = (value: unknown): LogEntry | undefined => entrySchema.safeParse(value).data

/** What the indexes keep of a log, from the header of its first event. */
export function entryOf(
  first: Pick<Header, 'agent_id' | 'run_id' | 'operation' | 'node_id' | 'timestamp'>,
): LogEntry {
  const { agent_id, run_id, operation, node_id, timestamp: created } = first
  return { agent_id, run_id, operation, node_id, created }
}

export function matches(entry: LogEntry, filter: LogFilter): boolean {
  const fields = ['node_id', 'run_id', 'operation'] as const
  return fields.every((field) => filter[field] === undefined || filter[field] === entry[field])
}

/** Oldest first; logs of the same instant by agent id, so that the order never depends on the store. */
export function byCreation(a: LogEntry, b: LogEntry): number {
  return (
    Date.parse(a.created) - Date.parse(b.created) ||
    (a.agent_id < b.agent_id ? -1 : a.agent_id > b.agent_id ? 1 : 0)
  )
}
