import { createHash } from 'node:crypto'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { BlobRef } from '../../core/event/event.ts'
import { type BlobContent, damagedBlob, measured, missingBlob } from '../../core/store/blob.ts'
import type { SweepOptions, Swept } from '../../core/store/store.ts'
import { TwotrackError } from '../../errors.ts'
import type { Connection, Row } from '../../files/sqlite.ts'
import { KV_CHUNK_BYTES } from '../../limits.ts'
import { sha256 } from '../../sha256.ts'
import type { Database } from './database.ts'
import type { Owners } from './owner.ts'
import { bytes, integer, text } from './row.ts'

/** Stores bytes under their digest, in rows of one chunk each; see `Store.putBlob`. */
export async function putBlob(
  database: Database,
  content: BlobContent,
  media: BlobRef['media'],
  owners: Owners,
): Promise<BlobRef> {
  const { chunks, ref } = measured(content, media)
  let blob: number | undefined
  let count = 0
  const write = (connection: Connection, chunk: Uint8Array): number => {
    blob ??= insertBlob(connection, owners)
    if (chunk.length > 0) insertChunk(connection, blob, count++, chunk)
    return blob
  }
  let last: Uint8Array = new Uint8Array(0)
  try {
    for await (const chunk of chunked(chunks)) {
      // One chunk is held back, so that a blob of one chunk is one commit.
      const held = last
      if (held.length > 0) await database.commit((connection) => write(connection, held))
      last = chunk
    }
    const stored = ref()
    await database.commit((connection) => {
      const before = findBlob(connection, stored.sha256)
      if (before && isIntact(connection, stored.sha256)) {
        connection.run('UPDATE twotrack_blob SET used_ms = ? WHERE blob = ?', Date.now(), before.blob)
        deleteBlob(connection, blob)
        return
      }
      if (before) deleteBlob(connection, before.blob)
      const finish =
        'UPDATE twotrack_blob SET sha256 = ?, bytes = ?, used_ms = ?, owner = NULL WHERE blob = ?'
      connection.run(finish, stored.sha256, stored.bytes, Date.now(), write(connection, last))
    })
    return stored
  } catch (thrown) {
    if (blob !== undefined && !database.closed)
      await database.commit((connection) => deleteBlob(connection, blob))
    throw thrown
  }
}

async function* chunked(content: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let gathered: Uint8Array[] = []
  let size = 0
  for await (let part of content) {
    while (size + part.length >= KV_CHUNK_BYTES) {
      const head = part.subarray(0, KV_CHUNK_BYTES - size)
      yield Buffer.concat([...gathered, head])
      part = part.subarray(head.length)
      gathered = []
      size = 0
    }
    // A copy: the source may reuse its buffer.
    if (part.length > 0) gathered.push(Buffer.from(part))
    size += part.length
  }
  if (size > 0) yield Buffer.concat(gathered)
}

function insertBlob(connection: Connection, owners: Owners): number {
  const insert = 'INSERT INTO twotrack_blob (bytes, owner) VALUES (0, ?) RETURNING blob'
  const row = connection.get(insert, owners.self)
  owners.hold()
  if (!row) throw new TwotrackError('io', 'A blob could not be created.')
  return integer(row, 'blob')
}

function insertChunk(connection: Connection, blob: number, n: number, chunk: Uint8Array): void {
  const data = zstdCompressSync(chunk)
  connection.run('INSERT INTO twotrack_chunk VALUES (?, ?, ?, ?)', blob, n, data, sha256(data))
}

function deleteBlob(connection: Connection, blob: number | undefined): void {
  if (blob === undefined) return
  connection.run('DELETE FROM twotrack_chunk WHERE blob = ?', blob)
  connection.run('DELETE FROM twotrack_blob WHERE blob = ?', blob)
}

/** Removes what processes that are gone left unfinished. */
export function dropUnfinishedBlobs(connection: Connection, owners: Owners): void {
  for (const row of unfinishedBlobs(connection, owners)) deleteBlob(connection, integer(row, 'blob'))
}

export const unfinishedBlobs = (connection: Connection, owners: Owners): Row[] =>
  connection
    .all('SELECT blob, owner FROM twotrack_blob WHERE sha256 IS NULL')
    .filter((row) => typeof row['owner'] !== 'string' || !owners.isAlive(row['owner']))

function findBlob(connection: Connection, digest: string): { blob: number; bytes: number } | undefined {
  const row = connection.get('SELECT blob, bytes FROM twotrack_blob WHERE sha256 = ?', digest)
  return row && { blob: integer(row, 'blob'), bytes: integer(row, 'bytes') }
}

/** The chunks of a blob, each checked before it is given, all of them after the last. */
export function* readChunks(connection: Connection, digest: string): Generator<Uint8Array> {
  const stored = findBlob(connection, digest)
  if (!stored) throw missingBlob(digest, connection.file)
  const whole = createHash('sha256')
  let read = 0
  for (let n = 0; read < stored.bytes; n++) {
    const chunk = readChunk(connection, stored.blob, n, digest)
    read += chunk.length
    whole.update(chunk)
    yield chunk
  }
  if (read !== stored.bytes || whole.digest('hex') !== digest) {
    throw damaged(digest, 'its content does not match its digest')
  }
}

function readChunk(connection: Connection, blob: number, n: number, digest: string): Uint8Array {
  const row = connection.get('SELECT data, sha256 FROM twotrack_chunk WHERE blob = ? AND n = ?', blob, n)
  if (!row) throw damaged(digest, `its chunk ${n} is missing`)
  const data = bytes(row, 'data')
  if (sha256(data) !== text(row, 'sha256')) throw damaged(digest, `its chunk ${n} was changed`)
  try {
    const chunk = zstdDecompressSync(data, { maxOutputLength: KV_CHUNK_BYTES })
    if (chunk.length > 0) return chunk
  } catch (cause) {
    throw damaged(digest, `its chunk ${n} can't be decompressed`, cause)
  }
  throw damaged(digest, `its chunk ${n} is empty`)
}

const damaged = (digest: string, reason: string, cause?: unknown) =>
  damagedBlob(digest, reason, { row: digest }, cause)

function isIntact(connection: Connection, digest: string): boolean {
  try {
    for (const _ of readChunks(connection, digest));
    return true
  } catch (thrown) {
    if (thrown instanceof TwotrackError && thrown.code === 'damaged') return false
    throw thrown
  }
}

/** Removes blobs that are not needed and were not used lately; to be called in a transaction. */
export function sweepBlobs(
  connection: Connection,
  isNeeded: (digest: string) => boolean,
  { unused_ms, dry_run = false }: SweepOptions,
): Swept {
  const rows = connection.all(
    `SELECT blob, twotrack_blob.sha256, coalesce(sum(length(data)), 0) AS stored
     FROM twotrack_blob LEFT JOIN twotrack_chunk USING (blob)
     WHERE twotrack_blob.sha256 IS NOT NULL AND used_ms <= ? GROUP BY blob`,
    Date.now() - unused_ms,
  )
  const unneeded = rows.filter((row) => !isNeeded(text(row, 'sha256')))
  if (!dry_run) for (const row of unneeded) deleteBlob(connection, integer(row, 'blob'))
  return {
    blobs: unneeded.length,
    bytes: unneeded.reduce((sum, row) => sum + integer(row, 'stored'), 0),
  }
}
