import { GENESIS } from '../../core/event/event.ts'
import { type Opened, open } from '../../core/event/line.ts'
import { brokenChain } from '../../core/store/follow.ts'
import type { Head } from '../../core/store/store.ts'
import { TwotrackError } from '../../errors.ts'
import type { Connection, Row } from '../../files/sqlite.ts'
import { sha256 } from '../../sha256.ts'
import { archivedLines } from './archive.ts'
import { encodeKeyPart, traceKey } from './key.ts'
import { bytes, integer, text, textOrNull } from './row.ts'

/** A row of `twotrack_log`. */
export interface LogRow {
  readonly log: number
  /** The agent's id, encoded as in keys. */
  readonly agent: string
  readonly head: Head
  readonly owner: string | null
}

export function findLog(connection: Connection, agentId: string): LogRow | undefined {
  const row = connection.get('SELECT * FROM twotrack_log WHERE agent = ?', encodeKeyPart(agentId))
  return row && logRow(row)
}

export const allLogs = (connection: Connection): LogRow[] =>
  connection.all('SELECT * FROM twotrack_log ORDER BY log').map(logRow)

const logRow = (row: Row): LogRow => ({
  log: integer(row, 'log'),
  agent: text(row, 'agent'),
  head: { seq: integer(row, 'seq'), hash: text(row, 'hash') },
  owner: textOrNull(row, 'owner'),
})

// The value's exact bytes, not text that was decoded and so perhaps repaired.
const eventQuery = `
  SELECT event.key, CAST(kv_store.value AS BLOB) AS line
  FROM twotrack_event AS event LEFT JOIN kv_store ON kv_store.key = event.key
  WHERE event.log = ? AND event.seq = ?`

/**
 * The events `from ≤ seq ≤ to` of a log whose row was read before, each checked against its own digests, its key, the
 * event before it (`before` for the first) and, at the end, the head in the log's row.
 */
export function* readEvents(
  connection: Connection,
  log: LogRow,
  from: number,
  to = log.head.seq,
  before: Head | undefined = from <= 1 ? { seq: 0, hash: GENESIS } : undefined,
  raw = true,
): Generator<Opened> {
  const archived = archivedLines(connection, log.log)
  let previous = before
  for (let seq = Math.max(from, 1); seq <= Math.min(to, log.head.seq); seq++) {
    const row = archived ? archivedRow(archived[seq - 1]) : connection.get(eventQuery, log.log, seq)
    if (!row) throw damagedEvent(log, seq, undefined, 'its row is missing')
    const opened = openRow(log, row, seq, previous, raw)
    previous = { seq, hash: opened.hash }
    yield opened
  }
}

/** A compressed log has no rows: they follow from its lines. */
const archivedRow = (line: Uint8Array<ArrayBuffer> | undefined): Row | undefined =>
  line && { key: null, line }

/** Throws `damaged` when the last event is: no head is given, and nothing appended, after a damaged end. */
export function checkEnd(connection: Connection, log: LogRow): void {
  for (const _ of readEvents(connection, log, log.head.seq));
}

function openRow(log: LogRow, row: Row, seq: number, previous: Head | undefined, raw: boolean): Opened {
  const key = textOrNull(row, 'key') ?? undefined
  if (row['line'] === null) throw damagedEvent(log, seq, key, 'its row of kv_store is missing')
  let opened: Opened
  try {
    opened = open(bytes(row, 'line'), sha256, { raw })
  } catch (thrown) {
    if (!(thrown instanceof TwotrackError) || thrown.code !== 'damaged') throw thrown
    throw damagedEvent(log, seq, key, thrown.message, thrown)
  }
  const agentId = opened.header.agent_id
  const reason =
    (encodeKeyPart(agentId) === log.agent ? undefined : `it belongs to the log of ${agentId}`) ??
    brokenChain(agentId, previous ?? { seq: seq - 1, hash: opened.header.prev }, opened) ??
    (key === undefined || traceKey(opened.header) === key ? undefined : 'its key belongs to another event') ??
    (seq === log.head.seq && opened.hash !== log.head.hash ? 'it is not the head of its log' : undefined)
  if (reason) throw damagedEvent(log, seq, key, reason)
  return opened
}

function damagedEvent(log: LogRow, seq: number, key: string | undefined, reason: string, cause?: unknown) {
  return new TwotrackError(
    'damaged',
    `Event ${seq} of log ${log.agent} is damaged: ${reason}. The events before it can be read.`,
    { cause, details: { line: seq, row: key ?? null } },
  )
}
