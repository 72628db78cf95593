import type { Event, EventFor } from '../../event/event.ts'
import { canonical } from '../../event/json.ts'
import type { Connection } from '../../files/sqlite.ts'
import { sha256 } from '../../sha256.ts'
import { integer } from './row.ts'

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
    connection.run(
      'UPDATE tool_calls SET parameters = ? WHERE id = (SELECT id FROM twotrack_call WHERE log = ? AND seq = ?)',
      parametersOf(event),
      log,
      event.seq,
    )
  } else if (event.type === 'tool_result') {
    const call = connection.get(
      'SELECT seq FROM twotrack_call WHERE log = ? AND result_seq = ?',
      log,
      event.seq,
    )
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
  const inserted = connection.get(
    'INSERT INTO tool_calls (name, parameters, started_at) VALUES (?, ?, ?) RETURNING id',
    event.data.tool,
    parameters,
    seconds(event),
  )
  connection.run(
    'INSERT INTO twotrack_call (log, seq, call, id) VALUES (?, ?, ?, ?)',
    log,
    event.seq,
    sha256(event.data.call_id),
    inserted ? integer(inserted, 'id') : 0,
  )
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
