import { damagedLine } from '../../core/store/chain.ts'
import type { Line, StoredLine } from '../../core/store/engine.ts'
import type { IndexName } from '../../core/store/store.ts'
import type { Connection } from '../../files/sqlite.ts'
import { archivedLines } from './archive.ts'
import { indexEvent } from './indexes.ts'
import { encodeKeyPart, traceKey } from './key.ts'
import { bytes, integer, text } from './row.ts'

// The value's exact bytes, not text that was decoded and so perhaps repaired.
const lineQuery = `
  SELECT event.key, CAST(kv_store.value AS BLOB) AS line
  FROM twotrack_event AS event LEFT JOIN kv_store ON kv_store.key = event.key
  WHERE event.agent = ? AND event.seq = ?`

/** The seq of a log's last event; 0 where there is none. */
export function lastSeq(connection: Connection, id: string): number {
  const query = 'SELECT seq FROM twotrack_event WHERE agent = ? ORDER BY seq DESC LIMIT 1'
  const row = connection.get(query, encodeKeyPart(id))
  return row ? integer(row, 'seq') : 0
}

/** The lines of a range. Throws `damaged` for one that is gone. */
export function* linesOf(
  connection: Connection,
  id: string,
  { from, to }: { readonly from: number; readonly to: number },
): Generator<StoredLine & { readonly key: string }> {
  const agent = encodeKeyPart(id)
  const archived = archivedLines(connection, id)
  for (let seq = Math.max(from, 1); seq <= Math.min(to, lastSeq(connection, id)); seq++) {
    const row = connection.get(lineQuery, agent, seq)
    if (!row) throw damagedLine(id, seq, {}, 'its row is missing')
    const key = text(row, 'key')
    const line = row['line'] === null ? archived?.[seq - 2] : bytes(row, 'line')
    if (!line) throw damagedLine(id, seq, { row: key }, 'its row of kv_store is missing')
    yield { bytes: line, key, at: { row: key } }
  }
}

export function insertLines(
  connection: Connection,
  id: string,
  lines: readonly Line[],
  indexes: readonly IndexName[],
): void {
  const agent = encodeKeyPart(id)
  for (const { header, bytes } of lines) {
    const key = traceKey(header)
    connection.run('INSERT INTO kv_store (key, value) VALUES (?, CAST(? AS TEXT))', key, bytes)
    connection.run('INSERT INTO twotrack_event VALUES (?, ?, ?)', agent, header.seq, key)
    indexEvent(connection, indexes, key)
  }
}
