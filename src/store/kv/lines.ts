import { damagedLine } from '../../core/store/chain.ts'
import type { Line, StoredLine } from '../../core/store/engine.ts'
import type { IndexName } from '../../core/store/store.ts'
import { messageOf } from '../../errors.ts'
import type { Connection } from '../../files/sqlite.ts'
import { zstdCompressSync, zstdDecompressSync } from '../../files/zstd.ts'
import { LINE_BYTES_MAX } from '../../limits.ts'
import { indexEvent } from './indexes.ts'
import { encodeKeyPart, traceKey } from './key.ts'
import { columnBytes, integer, text } from './row.ts'

/** A line as it is stored: its text, or where nobody writes the log and it was archived, its bytes compressed. */
const storedLines = `
  SELECT event.agent, event.seq, event.key, typeof(value) AS form, CAST(value AS BLOB) AS line
  FROM twotrack_event AS event LEFT JOIN kv_store USING (key)`

type KeyedLine = StoredLine & { readonly key: string; readonly seq: number; readonly isPacked: boolean }

/** The seq of a log's last event; 0 where there is none. */
export function lastSeq(connection: Connection, id: string): number {
  const query = 'SELECT seq FROM twotrack_event WHERE agent = ? ORDER BY seq DESC LIMIT 1'
  const row = connection.get(query, encodeKeyPart(id))
  return row ? integer(row, 'seq') : 0
}

/** The lines of a range. Throws `damaged` for one that is gone. */
export function* logLines(
  connection: Connection,
  id: string,
  { from, to } = { from: 1, to: Number.POSITIVE_INFINITY },
): Generator<KeyedLine> {
  const agent = encodeKeyPart(id)
  for (let seq = Math.max(from, 1); seq <= Math.min(to, lastSeq(connection, id)); seq++) {
    const row = connection.get(`${storedLines} WHERE agent = ? AND seq = ?`, agent, seq)
    if (!row) throw damagedLine(id, seq, {}, 'its row is missing')
    const key = text(row, 'key')
    const isPacked = text(row, 'form') === 'blob'
    const stored =
      row['line'] === null ? 'its row of kv_store is missing' : unpacked(columnBytes(row, 'line'), isPacked)
    if (typeof stored === 'string') throw damagedLine(id, seq, { row: key }, stored)
    yield { bytes: stored, key, seq, isPacked, at: { row: key } }
  }
}

/** The first lines of logs after an agent's. */
export const firstLines = (connection: Connection, after: string, limit: number) =>
  connection
    .all(`${storedLines} WHERE seq = 1 AND agent > ? ORDER BY agent LIMIT ?`, after, limit)
    .map((row) => {
      const first =
        row['line'] === null ? '' : unpacked(columnBytes(row, 'line'), text(row, 'form') === 'blob')
      return {
        agent: text(row, 'agent'),
        key: text(row, 'key'),
        first: typeof first === 'string' ? new Uint8Array(0) : first,
      }
    })

function unpacked(stored: Uint8Array, isPacked: boolean): Uint8Array | string {
  try {
    return isPacked ? zstdDecompressSync(stored, { maxOutputLength: LINE_BYTES_MAX }) : stored
  } catch (cause) {
    return `its row can't be decompressed (${messageOf(cause)})`
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

export const replaceLine = (connection: Connection, key: string, line: Uint8Array): number =>
  connection.run('UPDATE kv_store SET value = CAST(? AS TEXT) WHERE key = ?', line, key)

export const isPacked = (connection: Connection, id: string): boolean =>
  connection.get(`${storedLines} WHERE agent = ? AND typeof(value) = 'blob' LIMIT 1`, encodeKeyPart(id)) !==
  undefined

/** Compresses the lines of a log; to be called in a transaction. Gives the bytes that this saves. */
export function packRows(connection: Connection, id: string): number {
  let saved = 0
  for (const { bytes, key } of logLines(connection, id)) {
    const packed = zstdCompressSync(bytes)
    if (packed.length >= bytes.length) continue
    connection.run('UPDATE kv_store SET value = ? WHERE key = ?', packed, key)
    saved += bytes.length - packed.length
  }
  return saved
}

/** Makes them text again; to be called in a transaction. */
export function unpackRows(connection: Connection, id: string): void {
  if (isPacked(connection, id))
    for (const line of logLines(connection, id))
      if (line.isPacked) replaceLine(connection, line.key, line.bytes)
}
