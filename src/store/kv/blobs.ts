import { createHash, randomUUID } from 'node:crypto'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { damagedBlob, missingBlob } from '../../core/store/blob.ts'
import type { MayGo } from '../../core/store/engine.ts'
import type { BlobContent, ByteRange, Swept } from '../../core/store/store.ts'
import { TwotrackError } from '../../errors.ts'
import type { Connection } from '../../files/sqlite.ts'
import { BLOB_UNUSED_MS } from '../../limits.ts'
import { sha256 } from '../../sha256.ts'
import type { Database } from './database.ts'
import { columnBytes, integer, text } from './row.ts'

/** Content of one row, in bytes before compression. */
const CHUNK_BYTES = 1024 * 1024

/**
 * Stores bytes under their digest, in rows of one chunk each. Chunks are written under the name of their upload, and are a
 * blob once a row says so.
 */
export async function insertBlob(
  database: Database,
  content: BlobContent,
  digest: () => string,
): Promise<void> {
  const upload = `${Date.now()}-${randomUUID()}`
  let count = 0
  let size = 0
  const write = (connection: Connection, chunk: Uint8Array) => {
    const data = zstdCompressSync(chunk)
    connection.run('INSERT INTO twotrack_chunk VALUES (?, ?, ?, ?)', upload, count++, data, sha256(data))
    size += chunk.length
  }
  let last: Uint8Array | undefined
  try {
    for await (const chunk of chunked(content instanceof Uint8Array ? [content] : content)) {
      // One chunk is held back, so that a blob of one chunk is one commit.
      const held = last
      if (held) await database.commit((connection) => write(connection, held))
      last = chunk
    }
    await database.commit((connection) => {
      const before = findBlob(connection, digest())
      if (before && isIntact(connection, digest())) {
        connection.run('UPDATE twotrack_blob SET used_ms = ? WHERE sha256 = ?', Date.now(), digest())
        deleteChunks(connection, upload)
        return
      }
      if (before) deleteChunks(connection, before.upload)
      if (last) write(connection, last)
      const finish = 'INSERT OR REPLACE INTO twotrack_blob VALUES (?, ?, ?, ?)'
      connection.run(finish, digest(), upload, size, Date.now())
    })
  } catch (thrown) {
    if (!database.closed && count > 0) await database.commit((connection) => deleteChunks(connection, upload))
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

const deleteChunks = (connection: Connection, upload: string): number =>
  connection.run('DELETE FROM twotrack_chunk WHERE upload = ?', upload)

/** Removes what uploads that broke off left. */
export function dropUnfinishedBlobs(connection: Connection): void {
  const unfinished =
    'SELECT DISTINCT upload FROM twotrack_chunk WHERE upload NOT IN (SELECT upload FROM twotrack_blob)'
  for (const row of connection.all(unfinished)) {
    const upload = text(row, 'upload')
    if (Date.now() - Number.parseInt(upload, 10) > BLOB_UNUSED_MS) deleteChunks(connection, upload)
  }
}

function findBlob(connection: Connection, digest: string): { upload: string; bytes: number } | undefined {
  const row = connection.get('SELECT upload, bytes FROM twotrack_blob WHERE sha256 = ?', digest)
  return row && { upload: text(row, 'upload'), bytes: integer(row, 'bytes') }
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
    const chunk = readChunk(connection, stored.upload, n, digest)
    if (chunk.length !== Math.min(CHUNK_BYTES, stored.bytes - start))
      throw damagedBlob(digest, `its chunk ${n} has another size`)
    yield chunk.subarray(Math.max(from - start, 0), end - start)
  }
}

function readChunk(connection: Connection, upload: string, n: number, digest: string): Uint8Array {
  const row = connection.get('SELECT data, sha256 FROM twotrack_chunk WHERE upload = ? AND n = ?', upload, n)
  if (!row) throw damagedBlob(digest, `its chunk ${n} is missing`)
  const data = columnBytes(row, 'data')
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

/** Removes blobs that may go and were last stored before a time. */
export async function sweepRows(
  database: Database,
  connection: Connection,
  mayGo: MayGo,
  usedBefore: number,
  dryRun: boolean,
): Promise<Swept> {
  const swept = { blobs: 0, bytes: 0, waiting: 0 }
  for (const row of connection.all('SELECT sha256, upload, used_ms FROM twotrack_blob')) {
    const upload = text(row, 'upload')
    if (!(await mayGo(text(row, 'sha256')))) continue
    const size = connection.get(
      'SELECT coalesce(sum(length(data)), 0) AS stored FROM twotrack_chunk WHERE upload = ?',
      upload,
    )
    // It may have been stored again meanwhile.
    const isGone = dryRun
      ? integer(row, 'used_ms') < usedBefore
      : await database.commit((writing) => {
          const remove = 'DELETE FROM twotrack_blob WHERE upload = ? AND used_ms < ?'
          const removed = writing.run(remove, upload, usedBefore) > 0
          if (removed) deleteChunks(writing, upload)
          return removed
        })
    if (isGone) swept.blobs++
    else swept.waiting++
    if (isGone && size) swept.bytes += integer(size, 'stored')
  }
  return swept
}
