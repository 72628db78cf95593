import { randomUUID } from 'node:crypto'
import { chunked, damagedBlob, fromChunks, isDamaged, missingBlob } from '../../core/store/blob.ts'
import type { MayGo } from '../../core/store/engine.ts'
import type { BlobContent, ByteRange, Swept } from '../../core/store/store.ts'
import type { Connection } from '../../files/sqlite.ts'
import { zstdCompressSync, zstdDecompressSync } from '../../files/zstd.ts'
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
    if (content instanceof Uint8Array && (await isUsedAgain(database, digest()))) return
    for await (const chunk of chunked(content, CHUNK_BYTES)) {
      // One chunk is held back, so that a blob of one chunk is one commit.
      const held = last
      if (held) await database.commit((connection) => write(connection, held))
      last = chunk
    }
    const isThere = !(content instanceof Uint8Array) && (await isUsedAgain(database, digest()))
    await database.commit((connection) => {
      const before = isThere ? upload : findBlob(connection, digest())?.upload
      if (before !== undefined) deleteChunks(connection, before)
      if (isThere) return
      if (last) write(connection, last)
      const finish = 'INSERT OR REPLACE INTO twotrack_blob VALUES (?, ?, ?, ?)'
      connection.run(finish, digest(), upload, size, Date.now())
    })
  } catch (thrown) {
    if (!database.closed && count > 0) await database.commit((connection) => deleteChunks(connection, upload))
    throw thrown
  }
}

/** A blob that is there, all of it, is used again: a sweep sees that it was asked for. */
async function isUsedAgain(database: Database, digest: string): Promise<boolean> {
  const connection = database.reading()
  if (!connection || (await isDamaged(digest, readChunks(connection, digest)))) return false
  const use = 'UPDATE twotrack_blob SET used_ms = ? WHERE sha256 = ?'
  return database.commit((writing) => writing.run(use, Date.now(), digest) > 0)
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
export async function* readChunks(
  connection: Connection,
  digest: string,
  range?: ByteRange,
): AsyncGenerator<Uint8Array> {
  const stored = findBlob(connection, digest)
  if (!stored) throw missingBlob(digest, connection.file)
  yield* fromChunks({ ...stored, digest, chunkBytes: CHUNK_BYTES }, range, function* (first, last) {
    for (let n = first; n <= last; n++) yield readChunk(connection, stored.upload, n, digest)
  })
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
