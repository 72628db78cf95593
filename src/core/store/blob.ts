import { createHash } from 'node:crypto'
import { TwotrackError } from '../../errors.ts'
import { sha256 } from '../../sha256.ts'
import type { BlobRef, Header } from '../event/event.ts'
import { isObject } from '../event/json.ts'
import type { Engine } from './engine.ts'
import { readLines } from './read.ts'
import type { BlobContent, ByteRange, LogEntry } from './store.ts'

/** A blob before compression. */
const BLOB_BYTES_MAX = 1024 * 1024 * 1024

/** Stores bytes and names them. Throws `limit`. */
export async function putBlob(
  engine: Engine,
  content: BlobContent,
  media: BlobRef['media'],
): Promise<BlobRef> {
  if (content instanceof Uint8Array) {
    assertWithin(content.length)
    const digest = sha256(content)
    await engine.putBlob(content, () => digest)
    return { sha256: digest, bytes: content.length, media }
  }
  const hash = createHash('sha256')
  let bytes = 0
  async function* measured(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of stream) {
      bytes += chunk.length
      assertWithin(bytes)
      hash.update(chunk)
      yield chunk
    }
  }
  let digest: string | undefined
  const known = () => {
    digest ??= hash.digest('hex')
    return digest
  }
  await engine.putBlob(measured(content), known)
  return { sha256: known(), bytes, media }
}

function assertWithin(bytes: number): void {
  if (bytes > BLOB_BYTES_MAX)
    throw new TwotrackError('limit', `A blob is over the limit of ${BLOB_BYTES_MAX} bytes.`)
}

const DIGEST = /^[0-9a-f]{64}$/

/** The bytes of a blob, or of a range of it. */
export async function* readBlob(
  engine: Engine,
  digest: string,
  range?: ByteRange,
): AsyncGenerator<Uint8Array> {
  if (!DIGEST.test(digest)) throw missingBlob(digest, `this ${engine.kind} store`)
  if (range) yield* engine.readBlob(digest, range)
  else yield* checkedBlob(digest, engine.readBlob(digest))
}

/** Passes a whole blob on, or only a range of it; throws `damaged` after the last chunk if it is not what its digest says. */
export async function* checkedBlob(
  digest: string,
  chunks: AsyncIterable<Uint8Array>,
  { from, to }: ByteRange = { from: 0, to: Number.POSITIVE_INFINITY },
): AsyncGenerator<Uint8Array> {
  const content = createHash('sha256')
  let bytes = 0
  for await (const chunk of chunks) {
    const start = bytes
    bytes += chunk.length
    if (bytes > BLOB_BYTES_MAX) throw damagedBlob(digest, 'its content is over the limit')
    content.update(chunk)
    const part = chunk.subarray(Math.max(from - start, 0), Math.max(to - start, 0))
    if (part.length > 0) yield part
  }
  if (content.digest('hex') !== digest) throw damagedBlob(digest, 'its content does not match its digest')
}

/** For engines: content in pieces of one size, the last of what is left. */
export async function* chunked(content: BlobContent, chunkBytes: number): AsyncGenerator<Uint8Array> {
  let gathered: Uint8Array[] = []
  let size = 0
  for await (let part of content instanceof Uint8Array ? [content] : content) {
    while (size + part.length >= chunkBytes) {
      const head = part.subarray(0, chunkBytes - size)
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

/** For engines: a range of a blob that is stored in such pieces; `read` gives those from one to another. */
export async function* fromChunks(
  { digest, bytes, chunkBytes }: { digest: string; bytes: number; chunkBytes: number },
  { from, to }: ByteRange = { from: 0, to: Number.POSITIVE_INFINITY },
  read: (first: number, last: number) => Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const end = Math.min(to, bytes)
  if (from >= end) return
  let n = Math.floor(from / chunkBytes)
  for await (const chunk of read(n, Math.ceil(end / chunkBytes) - 1)) {
    const start = n * chunkBytes
    if (chunk.length !== Math.min(chunkBytes, bytes - start))
      throw damagedBlob(digest, `its chunk ${n} has another size`)
    yield chunk.subarray(Math.max(from - start, 0), end - start)
    n++
  }
}

/** Whether a blob is there and is not what its digest says. */
export async function isDamaged(digest: string, chunks: AsyncIterable<Uint8Array>): Promise<boolean> {
  try {
    for await (const _ of checkedBlob(digest, chunks));
    return false
  } catch (thrown) {
    const code = thrown instanceof TwotrackError ? thrown.code : undefined
    if (code !== 'damaged' && code !== 'missing') throw thrown
    return code === 'damaged'
  }
}

/** The digests that events name; undefined where a log can't be read, since it may name any. */
export async function namedBlobs(
  engine: Engine,
  logs: AsyncIterable<LogEntry | undefined>,
  without: (header: Header) => boolean,
): Promise<Set<string> | undefined> {
  const named = new Set<string>()
  try {
    for await (const log of logs) {
      if (!log) return undefined
      for await (const { header, raw } of readLines(engine, log.agent_id, {})) {
        const blobs = isObject(raw) && !without(header) ? raw['blobs'] : undefined
        for (const ref of Object.values(blobs ?? {})) named.add(String(isObject(ref) && ref['sha256']))
      }
    }
    return named
  } catch (thrown) {
    if (thrown instanceof TwotrackError && thrown.code !== 'closed') return undefined
    throw thrown
  }
}

export const missingBlob = (digest: string, place: string, cause?: unknown): TwotrackError =>
  new TwotrackError('missing', `There is no blob ${digest} in ${place}.`, { cause })

export const damagedBlob = (what: string, reason: string, cause?: unknown): TwotrackError =>
  new TwotrackError('damaged', `Blob ${what} is damaged: ${reason}. Restore it from a copy.`, {
    cause,
    details: { blob: what },
  })
