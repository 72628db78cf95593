import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Event, EventFor } from '../../core/event/event.ts'
import { canonical } from '../../core/event/json.ts'
import { toEvent } from '../../core/event/line.ts'
import type { Finding } from '../../core/store/store.ts'
import { messageOf, TwotrackError } from '../../errors.ts'
import { Connection } from '../../files/sqlite.ts'
import { sha256 } from '../../sha256.ts'
import { type LogRow, readEvents } from './read.ts'
import { integer } from './row.ts'
import { createTables } from './schema.ts'

type CallEvent = EventFor<'tool_call'>
type ResultEvent = EventFor<'tool_result'>

/** Keeps AgentFS's tool_calls in step with an event that is being appended; times in seconds as its SDK has them. */
export function recordCall(connection: Connection, log: number, event: Event): void {
  if (event.type === 'tool_call') {
    insertCall(connection, log, event, parametersOf(event))
  } else if (event.type === 'tool_result') {
    // Ids may repeat within a log: the oldest call with this id that still waits is the one answered. A result
    // may come without its call.
    const open =
      'SELECT seq FROM twotrack_call WHERE log = ? AND call = ? AND result_seq IS NULL ORDER BY seq'
    const waiting = connection.get(`${open} LIMIT 1`, log, sha256(event.data.call_id))
    if (!waiting) insertCall(connection, log, event, null)
    completeCall(connection, log, waiting ? integer(waiting, 'seq') : event.seq, event)
  }
}

/** Makes the row of a call again after the event was replaced by one without its raw part. */
export function recordCallAgain(connection: Connection, log: number, event: Event): void {
  if (event.type === 'tool_call') {
    const id = '(SELECT id FROM twotrack_call WHERE log = ? AND seq = ?)'
    const update = `UPDATE tool_calls SET parameters = ? WHERE id = ${id}`
    connection.run(update, parametersOf(event), log, event.seq)
  } else if (event.type === 'tool_result') {
    const answered = 'SELECT seq FROM twotrack_call WHERE log = ? AND result_seq = ?'
    const call = connection.get(answered, log, event.seq)
    if (call) completeCall(connection, log, integer(call, 'seq'), event)
  }
}

const parametersOf = (event: CallEvent): string => rawField(event, 'args') ?? canonical(event.data.args)

function insertCall(
  connection: Connection,
  log: number,
  event: CallEvent | ResultEvent,
  parameters: string | null,
): void {
  const { tool, call_id } = event.data
  const call = 'INSERT INTO tool_calls (name, parameters, started_at) VALUES (?, ?, ?) RETURNING id'
  const inserted = connection.get(call, tool, parameters, seconds(event))
  const link = 'INSERT INTO twotrack_call (log, seq, call, id) VALUES (?, ?, ?, ?)'
  connection.run(link, log, event.seq, sha256(call_id), inserted ? integer(inserted, 'id') : 0)
}

/** AgentFS keeps a result or an error, never both; it has no word for `partial`, which did give a result. */
function completeCall(connection: Connection, log: number, seq: number, event: ResultEvent): void {
  const { outcome, error, duration_ms } = event.data
  const failed = outcome === 'error'
  const result = rawField(event, 'parsed_output') ?? rawField(event, 'raw_output')
  connection.run(
    `UPDATE tool_calls SET status = ?, result = ?, error = ?, completed_at = ?,
       duration_ms = coalesce(?, (? - started_at) * 1000)
     WHERE id = (SELECT id FROM twotrack_call WHERE log = ? AND seq = ?)`,
    failed ? 'error' : 'success',
    failed ? null : result,
    failed ? (error ?? result ?? 'error') : null,
    seconds(event),
    duration_ms === undefined ? null : Math.round(duration_ms),
    seconds(event),
    log,
    seq,
  )
  connection.run('UPDATE twotrack_call SET result_seq = ? WHERE log = ? AND seq = ?', event.seq, log, seq)
}

/** A raw field as JSON text; one that is a blob is named by it. */
function rawField({ raw }: CallEvent | ResultEvent, name: string): string | null {
  const value = raw?.[name]
  if (value !== undefined) return canonical(value)
  const blob = raw?.blobs?.[name]
  return blob ? canonical({ blob: { ...blob } }) : null
}

const seconds = (event: Event): number => Math.floor(Date.parse(event.timestamp) / 1000)

const rowQuery = `
  SELECT seq, result_seq, call, name, parameters, result, error, status, started_at, completed_at, duration_ms
  FROM twotrack_call LEFT JOIN tool_calls USING (id) WHERE log = ?`

/**
 * Makes a log's rows of tool_calls again and compares; on the way it finds any damage to the events. So it also finds
 * raw output that was pruned from an event and is still in its row.
 */
export async function checkCalls(connection: Connection, log: LogRow): Promise<Finding[]> {
  const findings: Finding[] = []
  const report = (seq: number, what: string) =>
    findings.push({ level: 'error', what, where: `${log.agent} at ${seq}` })
  // A database without a name: SQLite keeps it in a temporary file.
  const again = new Connection('', { busy_ms: 0 })
  try {
    createTables(again)
    for (const opened of readEvents(connection, log, 1)) {
      const { seq, type } = opened.header
      if (type === 'tool_call' || type === 'tool_result') recordCall(again, log.log, toEvent(opened))
      // Lets other work go on while a long log is read.
      if (seq % 16 === 0) await setImmediate()
    }
    for (const expected of again.all(rowQuery, log.log)) {
      const seq = integer(expected, 'seq')
      const stored = connection.get(`${rowQuery} AND seq = ?`, log.log, seq)
      if (!stored) report(seq, 'a call has no row in tool_calls')
      else if (!isDeepStrictEqual(stored, expected))
        report(seq, 'a row of tool_calls differs from its events')
    }
  } catch (thrown) {
    if (!(thrown instanceof TwotrackError) || thrown.code !== 'damaged') throw thrown
    report(Number(thrown.details['line'] ?? 0), messageOf(thrown))
  } finally {
    again.close()
  }
  return findings
}
