import type { Event, EventFor } from '../../event/event.ts'
import { canonical, type Json } from '../../event/json.ts'
import { sha256 } from '../../sha256.ts'
import type { Connection } from './connection.ts'
import { integer } from './row.ts'

/** A row of AgentFS's tool_calls, times in seconds as its SDK writes them. */
export type CallRow = {
  name: string
  parameters: string | null
  result: string | null
  error: string | null
  status: 'pending' | 'success' | 'error'
  started_at: number
  completed_at: number | null
  duration_ms: number | null
}

type CallEvent = EventFor<'tool_call'>
type ResultEvent = EventFor<'tool_result'>

/** What a call and its result, if it has come, look like to AgentFS. A result may come without its call. */
export function callRow(call: CallEvent | undefined, result: ResultEvent): CallRow
export function callRow(call: CallEvent, result: ResultEvent | undefined): CallRow
export function callRow(call: CallEvent | undefined, result: ResultEvent | undefined): CallRow {
  const started = seconds(call ?? result)
  const row: CallRow = {
    name: (call ?? result)?.data.tool ?? '',
    parameters: call ? field(call, 'args', call.data.args) : null,
    result: null,
    error: null,
    status: 'pending',
    started_at: started,
    completed_at: null,
    duration_ms: null,
  }
  return result ? { ...row, ...completion(result, started) } : row
}

/** AgentFS keeps a result or an error, never both; it has no word for `partial`, which did give a result. */
function completion(event: ResultEvent, started: number) {
  const { outcome, error, parsed_output, raw_output, duration_ms } = event.data
  const completed = seconds(event)
  const failed = outcome === 'error'
  const result = field(event, 'parsed_output', parsed_output) ?? field(event, 'raw_output', raw_output)
  return {
    status: failed ? ('error' as const) : ('success' as const),
    result: failed ? null : result,
    error: failed ? (error ?? result ?? 'error') : null,
    completed_at: completed,
    duration_ms: Math.round(duration_ms ?? (completed - started) * 1000),
  }
}

/** A field as JSON text; one that was spilled is named by its blob. */
function field(event: CallEvent | ResultEvent, name: string, value: Json | undefined): string | null {
  if (value !== undefined) return canonical(value)
  const blob = event.blobs?.[name]
  return blob ? canonical({ blob: { ...blob } }) : null
}

const seconds = (event: Event | undefined): number =>
  event ? Math.floor(Date.parse(event.timestamp) / 1000) : 0

/** Keeps tool_calls in step with an event that is being appended. */
export function recordCall(connection: Connection, log: number, event: Event): void {
  if (event.type === 'tool_call') insertCall(connection, log, event, callRow(event, undefined), null)
  else if (event.type === 'tool_result') recordResult(connection, log, event)
}

function recordResult(connection: Connection, log: number, event: ResultEvent): void {
  // Ids may repeat within a log: the oldest call with this id that still waits is the one answered.
  const open = connection.get(
    `SELECT twotrack_call.seq, twotrack_call.id, started_at FROM twotrack_call
     JOIN tool_calls ON tool_calls.id = twotrack_call.id
     WHERE log = ? AND call = ? AND result_seq IS NULL ORDER BY seq LIMIT 1`,
    log,
    sha256(event.data.call_id),
  )
  if (!open) {
    insertCall(connection, log, event, callRow(undefined, event), event.seq)
    return
  }
  const { status, result, error, completed_at, duration_ms } = completion(event, integer(open, 'started_at'))
  connection.run(
    'UPDATE tool_calls SET status = ?, result = ?, error = ?, completed_at = ?, duration_ms = ? WHERE id = ?',
    status,
    result,
    error,
    completed_at,
    duration_ms,
    integer(open, 'id'),
  )
  connection.run(
    'UPDATE twotrack_call SET result_seq = ? WHERE log = ? AND seq = ?',
    event.seq,
    log,
    integer(open, 'seq'),
  )
}

function insertCall(
  connection: Connection,
  log: number,
  event: CallEvent | ResultEvent,
  row: CallRow,
  resultSeq: number | null,
): void {
  const inserted = connection.get(
    `INSERT INTO tool_calls
       (name, parameters, result, error, status, started_at, completed_at, duration_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
    row.name,
    row.parameters,
    row.result,
    row.error,
    row.status,
    row.started_at,
    row.completed_at,
    row.duration_ms,
  )
  connection.run(
    'INSERT INTO twotrack_call (log, seq, call, id, result_seq) VALUES (?, ?, ?, ?, ?)',
    log,
    event.seq,
    sha256(event.data.call_id),
    inserted ? integer(inserted, 'id') : 0,
    resultSeq,
  )
}
