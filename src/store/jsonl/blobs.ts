import { createHash } from 'node:crypto'
import {
  closeSync,
  createReadStream,
  existsSync,
  futimesSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
} from 'node:fs'
import { rename, rm, utimes } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { checkedBlob, damagedBlob, missingBlob } from '../../core/store/blob.ts'
import type { MayGo } from '../../core/store/engine.ts'
import type { BlobContent, ByteRange, SweepOptions, Swept } from '../../core/store/store.ts'
import { codeOf, messageOf } from '../../errors.ts'
import {
  diskError,
  filesBelow,
  makeFolder,
  namesIn,
  PRIVATE_FILE,
  statOrAbsent,
  synced,
  syncFolder,
  TEMPORARY_ENDING,
  temporaryBeside,
  writeFully,
} from '../../files/disk.ts'
import { settledBefore } from '../../files/lease.ts'
import {
  createZstdCompress,
  createZstdDecompress,
  zstdCompressSync,
  zstdDecompressSync,
} from '../../files/zstd.ts'
import { BLOB_ENDING, type Layout, LOCK_ENDING, REMOVING_ENDING } from './layout.ts'

/**
 * A blob file is the sha256 of the compressed bytes (32 bytes), then those bytes. Its name is the digest of the
 * content, but that alone would not do: zstd has bits that change nothing when they flip.
 */
const SEAL_BYTES = 32

export async function writeBlobFile(
  layout: Layout,
  content: BlobContent,
  digest: () => string,
): Promise<void> {
  if (content instanceof Uint8Array) {
    const path = layout.blob(digest())
    if (existsSync(path) && (await isIntact(layout, digest())) && (await touched(path))) {
      // Another process may have put it there just now, and not have synced its name yet.
      await syncFolder(dirname(path))
      return
    }
  }
  makeFolder(layout.blobs)
  const temporary = temporaryBeside(join(layout.blobs, 'new'))
  try {
    await writeBlob(temporary, compressed(content))
    const path = layout.blob(digest())
    makeFolder(dirname(path))
    renameSync(temporary, path)
    await syncFolder(dirname(path))
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => {})
    // What a caller's own stream throws is the caller's; only system errors are ours to explain.
    throw codeOf(cause)?.startsWith('E') ? diskError('write blob', temporary, cause) : cause
  }
}

/** Above this a content is compressed bit by bit, beside other work. */
const AT_ONCE_BYTES_MAX = 256 * 1024
/** Above this one is decompressed so. */
const UNPACKED_BYTES_MAX = 8 * 1024 * 1024

async function* compressed(content: BlobContent) {
  if (content instanceof Uint8Array && content.length <= AT_ONCE_BYTES_MAX) yield zstdCompressSync(content)
  // Who iterates is told what goes wrong in any part of the pipeline.
  else
    yield* pipeline(
      Readable.from(content instanceof Uint8Array ? [content] : content),
      createZstdCompress(),
      () => {},
    )
}

async function writeBlob(path: string, compressed: AsyncIterable<Uint8Array>): Promise<void> {
  const seal = createHash('sha256')
  const fd = openSync(path, 'wx', PRIVATE_FILE)
  try {
    let position = SEAL_BYTES
    for await (const chunk of compressed) {
      seal.update(chunk)
      writeFully({ fd }, chunk, position)
      position += chunk.length
    }
    writeFully({ fd }, seal.digest(), 0)
    // The system's own time for it lags behind the clock by some milliseconds.
    const now = new Date()
    futimesSync(fd, now, now)
    await synced(fd)
  } finally {
    closeSync(fd)
  }
}

/** The content of a blob, or a range of it; throws `damaged` when one bit of its file is not what was written. */
export async function* readBlobFile(
  layout: Layout,
  digest: string,
  range?: ByteRange,
): AsyncGenerator<Uint8Array> {
  const path = placeOf(layout.blob(digest))
  // Compressed bytes have to be read from the beginning: then all of them are checked as well.
  yield* range ? checkedBlob(digest, contentOf(path, digest), range) : contentOf(path, digest)
}

async function* contentOf(path: string, digest: string): AsyncGenerator<Uint8Array> {
  try {
    yield* smallContent(path) ?? largeContent(path)
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') throw missingBlob(digest, dirname(dirname(path)), cause)
    throw /^E[A-Z]+$/.test(codeOf(cause) ?? '')
      ? diskError('read blob', path, cause)
      : damagedBlob(path, messageOf(cause), cause)
  }
}

/** Most blobs are small, and all of those that many logs name are read one after the other. */
function smallContent(path: string): [Uint8Array] | undefined {
  if (statSync(path).size > AT_ONCE_BYTES_MAX) return undefined
  const file = readFileSync(path)
  const packed = file.subarray(SEAL_BYTES)
  assertSealed(createHash('sha256').update(packed).digest(), file.subarray(0, SEAL_BYTES))
  try {
    return [zstdDecompressSync(packed, { maxOutputLength: UNPACKED_BYTES_MAX })]
  } catch (cause) {
    if (codeOf(cause) === 'ERR_BUFFER_TOO_LARGE') return undefined
    throw cause
  }
}

/** Each chunk waits for its turn: of a hundred megabytes in small ones there would be a thousand. */
const CHUNK_BYTES = 1024 * 1024

async function* largeContent(path: string): AsyncGenerator<Uint8Array> {
  const seal = createHash('sha256')
  let sealed = Buffer.alloc(0)
  async function* compressed(): AsyncGenerator<Uint8Array> {
    for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
      const missing = SEAL_BYTES - sealed.length
      sealed = Buffer.concat([sealed, chunk.subarray(0, missing)])
      seal.update(chunk.subarray(missing))
      yield chunk.subarray(missing)
    }
  }
  yield* pipeline(Readable.from(compressed()), createZstdDecompress({ chunkSize: CHUNK_BYTES }), () => {})
  assertSealed(seal.digest(), sealed)
}

function assertSealed(digest: Uint8Array, sealed: Uint8Array): void {
  if (Buffer.compare(digest, sealed) !== 0)
    throw new Error('its bytes do not match the digest at its beginning')
}

/** A blob that is on its way out is read where it is; storing it again does not count on that. */
const placeOf = (path: string): string =>
  !existsSync(path) && existsSync(path + REMOVING_ENDING) ? path + REMOVING_ENDING : path

/** Tells a sweep that the blob is asked for again; false when one has just taken it. */
async function touched(path: string): Promise<boolean> {
  try {
    const now = new Date()
    await utimes(path, now, now)
    return true
  } catch {
    return false
  }
}

/** A damaged blob is written anew when its content comes by again. */
async function isIntact(layout: Layout, digest: string): Promise<boolean> {
  try {
    for await (const _ of checkedBlob(digest, readBlobFile(layout, digest)));
    return true
  } catch {
    return false
  }
}

/**
 * Removes blobs that may go. One is set aside first and looked at again there: whoever stores the same content meanwhile
 * either touched it before, and it goes back, or finds none and writes it anew. A reader finds it in both places.
 */
export async function sweepBlobs(
  layout: Layout,
  find: () => Promise<MayGo>,
  { unused_ms, dry_run = false }: SweepOptions,
): Promise<Swept> {
  const swept = { blobs: 0, bytes: 0, waiting: 0 }
  const leases = (await namesIn(layout.traces)).filter((name) => name.endsWith(LOCK_ENDING))
  const usedBefore = await settledBefore(
    leases.map((name) => join(layout.traces, name)),
    unused_ms,
  )
  const mayGo = await find()
  for (const path of await filesBelow(layout.blobs)) {
    const found = await statOrAbsent(path)
    if (!found) continue
    const aside = path.endsWith(REMOVING_ENDING)
    const place = aside ? path.slice(0, -REMOVING_ENDING.length) : path
    const digest = basename(place, BLOB_ENDING)
    const isBlob = layout.blob(digest) === place
    const isOld = lastUsed(found) < usedBefore
    const isUnneeded = isBlob ? await mayGo(digest) : path.endsWith(TEMPORARY_ENDING)
    const goes = isUnneeded && isOld
    if (isUnneeded && !isOld && isBlob) swept.waiting++
    // Where the same content was written anew meanwhile, that one is as good.
    if (aside && !goes && !dry_run) await rename(path, place)
    if (!goes) continue
    if (dry_run || (await remove(path, isBlob && !aside ? place + REMOVING_ENDING : path, usedBefore))) {
      swept.blobs++
      swept.bytes += found.size
    }
  }
  return swept
}

/** In whole milliseconds, as the clock told them when it was stored. */
const lastUsed = ({ mtimeMs }: { readonly mtimeMs: number }): number => Math.round(mtimeMs)

async function remove(path: string, aside: string, usedBefore: number): Promise<boolean> {
  if (path !== aside) await rename(path, aside)
  const found = await statOrAbsent(aside)
  if (path !== aside && found && lastUsed(found) >= usedBefore) {
    await rename(aside, path)
    return false
  }
  await rm(aside, { force: true })
  return true
}
