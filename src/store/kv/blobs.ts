import { createHash } from 'node:crypto'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { damagedBlob, missingBlob } from '../../core/store/blob.ts'
import type { BlobContent, ByteRange, SweepOptions, Swept } from '../../core/store/store.ts'
import { TwotrackError } from '../../errors.ts'
import type { Connection, Row } from '../../files/sqlite.ts'
import { sha256 } from '../../sha256.ts'
import type { Database } from './database.ts'
import type { Owners } from './owner.ts'
import { bytes, integer, text } from './row.ts'

/** Content of one row, in bytes before compression. */
const CHUNK_BYTES = 1024 * 1024

/** Stores bytes under their digest, in rows of one chunk each. */
export async function putBlob(
  database: Database,
  content: BlobContent,
  digest: () => string,
  owners: Owners,
): Promise<void> {
  let blob: number | undefined
  let count = 0
  let size = 0
  const write = (connection: Connection, chunk: Uint8Array): number => {
    blob ??= insertBlob(connection, owners)
    if (chunk.length > 0) insertChunk(connection, blob, count++, chunk)
    return blob
  }
  let last: Uint8Array = new Uint8Array(0)
  try {
    for await (const chunk of chunked(content instanceof Uint8Array ? [content] : content)) {
      // One chunk is held back, so that a blob of one chunk is one commit.
      const held = last
      if (held.length > 0) await database.commit((connection) => write(connection, held))
      size += chunk.length
      last = chunk
    }
    await database.commit((connection) => {
      const before = findBlob(connection, digest())
      if (before && isIntact(connection, digest())) {
        connection.run('UPDATE twotrack_blob SET used_ms = ? WHERE blob = ?', Date.now(), before.blob)
        deleteBlob(connection, blob)
        return
      }
      if (before) deleteBlob(connection, before.blob)
      const finish =
        'UPDATE twotrack_blob SET sha256 = ?, bytes = ?, used_ms = ?, owner = NULL WHERE blob = ?'
      connection.run(finish, digest(), size, Date.now(), write(connection, last))
    })
  } catch (thrown) {
    if (blob !== undefined && !database.closed)
      await database.commit((connection) => deleteBlob(connection, blob))
    throw thrown
  }
}

async function* chunked(
  content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  let gathered: Uint8Array[] = []
  let size = 0
  for await (let part of content) {
    while (size + part.length >= CHUNK_BYTES) {
      const head = part.subarray(0, CHUNK_BYTES - size)
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
  const insert = 'INSERT INTO twotrack_blob (bytes, owner, used_ms) VALUES (0, ?, ?) RETURNING blob'
  const row = connection.get(insert, owners.self, Date.now())
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
    .all('SELECT blob, owner, used_ms FROM twotrack_blob WHERE sha256 IS NULL')
    .filter(
      (row) => typeof row['owner'] !== 'string' || !owners.isAlive(row['owner'], integer(row, 'used_ms')),
    )

function findBlob(connection: Connection, digest: string): { blob: number; bytes: number } | undefined {
  const row = connection.get('SELECT blob, bytes FROM twotrack_blob WHERE sha256 = ?', digest)
  return row && { blob: integer(row, 'blob'), bytes: integer(row, 'bytes') }
}

/** The content of a blob or of a range of it; each chunk is checked before it is given. */
export function* readChunks(
  connection: Connection,
  digest: string,
  { from, to }: ByteRange = { from: 0, to: Number.POSITIVE_INFINITY },
): Generator<Uint8Array> {
  const stored = findBlob(connection, digest)
  if (!stored) throw missingBlob(digest, connection.file)
  const end = Math.min(to, stored.bytes)
  for (let n = Math.floor(from / CHUNK_BYTES); n * CHUNK_BYTES < end; n++) {
    const start = n * CHUNK_BYTES
    const chunk = readChunk(connection, stored.blob, n, digest)
    if (chunk.length !== Math.min(CHUNK_BYTES, stored.bytes - start))
      throw damagedBlob(digest, `its chunk ${n} has another size`)
    yield chunk.subarray(Math.max(from - start, 0), end - start)
  }
}

function readChunk(connection: Connection, blob: number, n: number, digest: string): Uint8Array {
  const row = connection.get('SELECT data, sha256 FROM twotrack_chunk WHERE blob = ? AND n = ?', blob, n)
  if (!row) throw damagedBlob(digest, `its chunk ${n} is missing`)
  const data = bytes(row, 'data')
  if (sha256(data) !== text(row, 'sha256')) throw damagedBlob(digest, `its chunk ${n} was changed`)
  try {
    return zstdDecompressSync(data, { maxOutputLength: CHUNK_BYTES })
  } catch (cause) {
    throw damagedBlob(digest, `its chunk ${n} can't be decompressed`, cause)
  }
}

export function isIntact(connection: Connection, digest: string): boolean {
  try {
    const content = createHash('sha256')
    for (const chunk of readChunks(connection, digest)) content.update(chunk)
    return content.digest('hex') === digest
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
