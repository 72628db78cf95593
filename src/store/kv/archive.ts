import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { open } from '../../core/event/line.ts'
import { TwotrackError } from '../../errors.ts'
import type { Connection } from '../../files/sqlite.ts'
import { ARCHIVE_BYTES_MAX } from '../../limits.ts'
import { sha256 } from '../../sha256.ts'
import { traceKey } from './key.ts'
import { bytes, integer, text } from './row.ts'

const LINE_FEED = 0x0a

export const isArchived = (connection: Connection, log: number): boolean =>
  connection.get('SELECT 1 FROM twotrack_archive WHERE log = ?', log) !== undefined

/** Compresses the rows of a log; to be called in a transaction. Gives the bytes that this saves. */
export function packLog(connection: Connection, log: number): number {
  const rows = `SELECT kv_store.key, CAST(value AS BLOB) AS line FROM twotrack_event
    JOIN kv_store USING (key) WHERE log = ? ORDER BY seq`
  const lines = connection.all(rows, log).map((row) => Buffer.concat([bytes(row, 'line'), Buffer.from('\n')]))
  const whole = Buffer.concat(lines)
  if (whole.length === 0 || whole.length > ARCHIVE_BYTES_MAX) return 0
  const data = zstdCompressSync(whole)
  if (data.length >= whole.length) return 0
  const insert = 'INSERT OR REPLACE INTO twotrack_archive VALUES (?, ?, ?, ?)'
  connection.run(insert, log, whole.length, data, sha256(data))
  connection.run('DELETE FROM kv_store WHERE key IN (SELECT key FROM twotrack_event WHERE log = ?)', log)
  connection.run('DELETE FROM twotrack_event WHERE log = ?', log)
  return whole.length - data.length
}

/** Makes the rows of a log again; to be called in a transaction. */
export function unpackLog(connection: Connection, log: number): void {
  const lines = archivedLines(connection, log)
  if (!lines) return
  for (const line of lines) {
    const { header } = open(line, sha256)
    const key = traceKey(header)
    connection.run('INSERT INTO kv_store (key, value) VALUES (?, ?)', key, Buffer.from(line).toString())
    connection.run('INSERT INTO twotrack_event VALUES (?, ?, ?)', log, header.seq, key)
  }
  connection.run('DELETE FROM twotrack_archive WHERE log = ?', log)
}

/** The lines of a compressed log, without their line feeds; undefined for a log that is not compressed. */
export function archivedLines(connection: Connection, log: number): Uint8Array<ArrayBuffer>[] | undefined {
  const row = connection.get('SELECT * FROM twotrack_archive WHERE log = ?', log)
  if (!row) return undefined
  const data = bytes(row, 'data')
  if (sha256(data) !== text(row, 'sha256')) throw damaged(log)
  const whole = zstdDecompressSync(data, { maxOutputLength: ARCHIVE_BYTES_MAX })
  if (whole.length !== integer(row, 'bytes')) throw damaged(log)
  const lines: Uint8Array<ArrayBuffer>[] = []
  for (let start = 0; start < whole.length; ) {
    const end = whole.indexOf(LINE_FEED, start)
    if (end === -1) throw damaged(log)
    lines.push(whole.subarray(start, end))
    start = end + 1
  }
  return lines
}

const damaged = (log: number) =>
  new TwotrackError('damaged', `The compressed log ${log} was changed; restore the file from a copy.`, {
    details: { line: 1, row: String(log) },
  })
