import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { damagedLine } from '../../core/store/chain.ts'
import { messageOf } from '../../errors.ts'
import type { Connection } from '../../files/sqlite.ts'
import { ARCHIVE_BYTES_MAX } from '../../limits.ts'
import { encodeKeyPart } from './key.ts'
import { bytes, text } from './row.ts'

const LINE_FEED = 0x0a

export const isArchived = (connection: Connection, id: string): boolean =>
  connection.get('SELECT 1 FROM twotrack_archive WHERE agent = ?', encodeKeyPart(id)) !== undefined

/** The rows whose values are compressed: all but the first, which lists are made of. */
const rest = 'SELECT key FROM twotrack_event WHERE agent = ? AND seq > 1'

/** Compresses the values of a log; to be called in a transaction. Gives the bytes that this saves. */
export function packLog(connection: Connection, id: string): number {
  const agent = encodeKeyPart(id)
  const values = `SELECT CAST(value AS BLOB) AS line FROM twotrack_event JOIN kv_store USING (key)
    WHERE agent = ? AND seq > 1 ORDER BY seq`
  const lines = connection
    .all(values, agent)
    .map((row) => Buffer.concat([bytes(row, 'line'), Buffer.from('\n')]))
  const whole = Buffer.concat(lines)
  if (whole.length === 0 || whole.length > ARCHIVE_BYTES_MAX) return 0
  const data = zstdCompressSync(whole)
  if (data.length >= whole.length) return 0
  connection.run('INSERT INTO twotrack_archive VALUES (?, ?)', agent, data)
  connection.run(`DELETE FROM kv_store WHERE key IN (${rest})`, agent)
  return whole.length - data.length
}

/** Puts the values of a log back; to be called in a transaction. */
export function unpackLog(connection: Connection, id: string): void {
  const lines = archivedLines(connection, id)
  if (!lines) return
  const agent = encodeKeyPart(id)
  for (const [i, row] of connection.all(`${rest} ORDER BY seq`, agent).entries()) {
    const insert = 'INSERT OR IGNORE INTO kv_store (key, value) VALUES (?, CAST(? AS TEXT))'
    connection.run(insert, text(row, 'key'), lines[i] ?? new Uint8Array(0))
  }
  connection.run('DELETE FROM twotrack_archive WHERE agent = ?', agent)
}

/** The lines of a compressed log from the second on; undefined for a log that is not compressed. */
export function archivedLines(connection: Connection, id: string): Uint8Array<ArrayBuffer>[] | undefined {
  const row = connection.get('SELECT data FROM twotrack_archive WHERE agent = ?', encodeKeyPart(id))
  if (!row) return undefined
  const lines: Uint8Array<ArrayBuffer>[] = []
  try {
    const whole = zstdDecompressSync(bytes(row, 'data'), { maxOutputLength: ARCHIVE_BYTES_MAX })
    for (let start = 0, end = 0; start < whole.length; start = end + 1) {
      end = whole.indexOf(LINE_FEED, start)
      if (end === -1) break
      lines.push(whole.subarray(start, end))
    }
  } catch (cause) {
    throw damagedLine(id, 2, { row: encodeKeyPart(id) }, `its archive can't be read (${messageOf(cause)})`)
  }
  return lines
}
