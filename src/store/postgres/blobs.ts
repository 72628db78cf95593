import { promisify } from 'node:util'
import { chunked, damagedBlob, fromChunks, missingBlob } from '../../core/store/blob.ts'
import type { MayGo } from '../../core/store/engine.ts'
import type { BlobContent, ByteRange, Swept } from '../../core/store/store.ts'
import { TwotrackError } from '../../errors.ts'
import { constants, zstdCompress, zstdDecompress } from '../../files/zstd.ts'
import { BLOB_UNUSED_MS } from '../../limits.ts'
import type { Connections } from './connections.ts'
import { arrayOf } from './lines.ts'

/** Content of one row, in bytes before compression. */
const CHUNK_BYTES = 512 * 1024
/** Rows that are stored with one statement, and read with one. */
const CHUNKS_AT_ONCE = 16
const CHUNKS_READ = 8

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)
/** Each row has its own checksum: a range is checked without the rest. */
const CHECKED = { params: { [constants.ZSTD_c_checksumFlag]: 1 } }

/** A blob that is there, all of it, is used again. */
const USE = `
  UPDATE blob SET used = clock_timestamp()
  WHERE digest = $1 AND chunks = (SELECT count(*) FROM chunk WHERE blob = blob.id) RETURNING id`
/** One that fits into a statement; what was there of that digest was not whole. */
const PUT = `
  WITH made AS (
    INSERT INTO blob (digest, bytes, chunks) VALUES ($1, $2, $3)
    ON CONFLICT (digest) DO UPDATE SET bytes = $2, chunks = $3, used = clock_timestamp() RETURNING id
  )
  INSERT INTO chunk SELECT id, n - 1, bytes FROM made, unnest($4::bytea[]) WITH ORDINALITY AS one (bytes, n)
  ON CONFLICT (blob, n) DO UPDATE SET bytes = EXCLUDED.bytes`
const BEGIN = 'INSERT INTO blob DEFAULT VALUES RETURNING id'
const ADD = `
  INSERT INTO chunk SELECT $1, $2 + n - 1, bytes FROM unnest($3::bytea[]) WITH ORDINALITY AS one (bytes, n)
  ON CONFLICT (blob, n) DO UPDATE SET bytes = EXCLUDED.bytes`
const FINISH = `UPDATE blob SET digest = $2, bytes = $3, chunks = $4, used = clock_timestamp() WHERE id = $1 RETURNING id`
const REMOVE = 'DELETE FROM blob WHERE id = $1'
const READ =
  "SELECT n, encode(bytes, 'base64') AS base64 FROM chunk WHERE blob = $1 AND n BETWEEN $2 AND $3 ORDER BY n"

/** Stores bytes under their digest, in rows of one chunk each; a long one as it comes, and it is a blob at the end. */
export async function uploadBlob(
  connections: Connections,
  content: BlobContent,
  digest: () => string,
): Promise<void> {
  if (content instanceof Uint8Array && (await connections.ask(USE, [digest()])).length > 0) return
  let upload: unknown
  let stored = 0
  let size = 0
  let waiting: Promise<Uint8Array>[] = []
  try {
    for await (const chunk of chunked(content, CHUNK_BYTES)) {
      if (waiting.length === CHUNKS_AT_ONCE) {
        upload ??= (await connections.ask(BEGIN, []))[0]?.['id']
        await connections.ask(ADD, [upload, stored, arrayOf(await Promise.all(waiting))])
        stored += waiting.length
        waiting = []
      }
      size += chunk.length
      waiting.push(compress(chunk, CHECKED))
    }
    const last = arrayOf(await Promise.all(waiting))
    if (upload === undefined) {
      if (content instanceof Uint8Array || (await connections.ask(USE, [digest()])).length === 0)
        await connections.ask(PUT, [digest(), size, waiting.length, last])
      return
    }
    await connections.ask(ADD, [upload, stored, last])
    await finish(connections, upload, [digest(), size, stored + waiting.length])
  } catch (thrown) {
    await Promise.allSettled(waiting)
    if (upload !== undefined) await connections.ask(REMOVE, [upload]).catch(() => {})
    throw thrown
  }
}

/** Makes an upload the blob of its digest, unless there is one. */
async function finish(
  connections: Connections,
  upload: unknown,
  [digest, size, chunks]: readonly [string, number, number],
) {
  await connections.transaction(async (session) => {
    if ((await session.ask(USE, [digest])).length > 0) await session.ask(REMOVE, [upload])
    else {
      await session.ask('DELETE FROM blob WHERE digest = $1', [digest])
      const finished = await session.ask(FINISH, [upload, digest, size, chunks])
      if (finished.length === 0)
        throw new TwotrackError('io', 'A blob took so long to be stored that it was removed. Store it again.')
    }
  })
}

/** The content of a blob or of a range of it; each chunk is checked before it is given. */
export async function* downloadBlob(
  connections: Connections,
  digest: string,
  range?: ByteRange,
): AsyncGenerator<Uint8Array> {
  const [blob] = await connections.ask('SELECT id, bytes FROM blob WHERE digest = $1', [digest])
  if (!blob) throw missingBlob(digest, connections.shown)
  const stored = { digest, bytes: Number(blob['bytes']), chunkBytes: CHUNK_BYTES }
  yield* fromChunks(stored, range, async function* (first, last) {
    for (let n = first; n <= last; n += CHUNKS_READ) {
      const end = Math.min(n + CHUNKS_READ - 1, last)
      const rows = await connections.ask(READ, [blob['id'], n, end])
      const found = new Map(rows.map((row) => [row['n'], row['base64']]))
      const numbers = Array.from({ length: end - n + 1 }, (_, at) => n + at)
      yield* await Promise.all(numbers.map((one) => unpacked(found.get(one), digest, one)))
    }
  })
}

async function unpacked(base64: unknown, digest: string, n: number): Promise<Uint8Array> {
  if (typeof base64 !== 'string') throw damagedBlob(digest, `its chunk ${n} is missing`)
  try {
    return await decompress(Buffer.from(base64, 'base64'), { maxOutputLength: CHUNK_BYTES })
  } catch (cause) {
    throw damagedBlob(digest, `its chunk ${n} can't be decompressed`, cause)
  }
}

/** The oldest lease that is held, or so long ago: by the clock of the server. */
const SETTLED = `
  SELECT least(clock_timestamp() - $1 * interval '1 ms',
    (SELECT min(since) FROM log WHERE holder IS NOT NULL AND until > clock_timestamp()))::text AS settled`
const PAGE_BLOBS = 1_000

/** Removes blobs that may go and were last stored before all that is under way, and what uploads that broke off left. */
const BASED = `SELECT DISTINCT one->>'sha256' AS digest FROM base, jsonb_array_elements(files->'files') AS one`

export async function removeBlobs(
  connections: Connections,
  find: () => Promise<MayGo>,
  { unused_ms, dry_run = false }: { readonly unused_ms: number; readonly dry_run?: boolean },
): Promise<Swept> {
  const [row] = await connections.ask(SETTLED, [unused_ms])
  const settled = String(row?.['settled'])
  const mayGo = await find()
  // Projects that workers get their files from (src/queue).
  const based = new Set((await connections.ask(BASED, [])).map(({ digest }) => digest))
  const swept = { blobs: 0, bytes: 0, waiting: 0 }
  for (let after = ''; ; ) {
    const page = await connections.ask(
      `SELECT digest, used < $2::timestamptz AS is_settled, (SELECT sum(octet_length(bytes)) FROM chunk WHERE blob = blob.id)::bigint AS stored
       FROM blob WHERE digest > $1 ORDER BY digest LIMIT ${PAGE_BLOBS}`,
      [after, settled],
    )
    for (const { digest, is_settled, stored } of page) {
      if (based.has(digest) || !(await mayGo(String(digest)))) continue
      // It may have been stored again meanwhile.
      const isGone = is_settled === true && (dry_run || (await isRemoved(connections, digest, settled)))
      if (isGone) {
        swept.blobs++
        swept.bytes += Number(stored ?? 0)
      } else swept.waiting++
    }
    after = String(page.at(-1)?.['digest'])
    if (page.length < PAGE_BLOBS) break
  }
  if (!dry_run)
    await connections.ask(
      `DELETE FROM blob WHERE digest IS NULL AND used < clock_timestamp() - ${BLOB_UNUSED_MS} * interval '1 ms'`,
      [],
    )
  return swept
}

const isRemoved = async (connections: Connections, digest: unknown, settled: string): Promise<boolean> =>
  (
    await connections.ask('DELETE FROM blob WHERE digest = $1 AND used < $2::timestamptz RETURNING id', [
      digest,
      settled,
    ])
  ).length > 0
