import { z } from 'zod'
import { sha256 } from '../../sha256.ts'
import type { Header } from '../event/event.ts'
import { openHeader } from '../event/line.ts'
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

/** What the header of a log's first event says of it. */
export function entryOf(
  first: Pick<Header, 'agent_id' | 'run_id' | 'operation' | 'node_id' | 'timestamp'>,
): LogEntry {
  const { agent_id, run_id, operation, node_id, timestamp: created } = first
  return { agent_id, run_id, operation, node_id, created }
}

/** The same from the beginning of the first line; undefined when that is damaged. */
export function entryIn(firstLine: Uint8Array): LogEntry | undefined {
  try {
    return entryOf(openHeader(firstLine, sha256).header)
  } catch {
    return undefined
  }
}

/** What the log of a run is called, and what operation its first event says: who asks for that gets the runs' logs. */
export const RUNS = 'run:'

export const runLogOf = (runId: string): string => RUNS + runId

export const isRunLog = (agentId: string): boolean => agentId.startsWith(RUNS)

/** Whether it is asked for; the log of a run only by its operation. */
export function matches(entry: LogEntry, filter: LogFilter): boolean {
  if (isRunLog(entry.agent_id) !== (filter.operation === RUNS)) return false
  const fields = ['node_id', 'run_id', 'operation'] as const
  return fields.every((field) => filter[field] === undefined || filter[field] === entry[field])
}

type Created = Pick<LogEntry, 'created' | 'agent_id'>

/** Oldest first; logs of the same instant by agent id, so that the order never depends on the store. */
export function byCreation(a: Created, b: Created): number {
  return (
    Date.parse(a.created) - Date.parse(b.created) ||
    (a.agent_id < b.agent_id ? -1 : a.agent_id > b.agent_id ? 1 : 0)
  )
}
