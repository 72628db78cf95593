import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import { messageOf, TwotrackError } from '../../errors.ts'
import type { BlobRef } from '../../event/event.ts'
import { BLOB_BYTES_MAX } from '../../limits.ts'
import { sha256 } from '../../sha256.ts'
import { diskError, makeFolder, syncFolder, systemCode, temporaryBeside, writeFully } from './disk.ts'
import { BLOB_ENDING, type Layout } from './layout.ts'

/**
 * A blob file is the sha256 of the compressed bytes (32 bytes), then those bytes. Its name is the digest of the
 * content, but that alone would not do: zstd has bits that change nothing when they flip.
 */
const SEAL_BYTES = 32
const DIGEST = /^[0-9a-f]{64}$/

export async function putBlob(
  layout: Layout,
  content: Uint8Array | AsyncIterable<Uint8Array>,
  media: BlobRef['media'],
): Promise<BlobRef> {
  if (content instanceof Uint8Array) {
    const known = sha256(content)
    if (await isIntact(layout, known)) {
      // Another process may have put it there just now, and not have synced its name yet.
      await syncFolder(dirname(layout.blob(known)))
      return { sha256: known, bytes: content.length, media }
    }
  }
  await makeFolder(layout.blobs)
  const temporary = temporaryBeside(join(layout.blobs, 'new'))
  try {
    const { digest, bytes } = await writeBlob(temporary, content instanceof Uint8Array ? [content] : content)
    const path = layout.blob(digest)
    await makeFolder(dirname(path))
    await rename(temporary, path)
    await syncFolder(dirname(path))
    return { sha256: digest, bytes, media }
  } catch (cause) {
    await rm(temporary, { force: true })
    // What a caller's own stream throws is the caller's; only system errors are ours to explain.
    throw systemCode(cause)?.startsWith('E') ? diskError('write blob', temporary, cause) : cause
  }
}

async function writeBlob(
  path: string,
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<{ digest: string; bytes: number }> {
  const digest = createHash('sha256')
  const seal = createHash('sha256')
  let bytes = 0
  async function* counted() {
    for await (const chunk of content) {
      bytes += chunk.length
      if (bytes > BLOB_BYTES_MAX) {
        throw new TwotrackError('limit', `A blob is over the limit of ${BLOB_BYTES_MAX} bytes.`)
      }
      digest.update(chunk)
      yield chunk
    }
  }
  const file = await open(path, 'wx')
  try {
    let position = SEAL_BYTES
    // The iteration below reports what goes wrong in any part of the pipeline.
    for await (const chunk of pipeline(Readable.from(counted()), createZstdCompress(), () => {})) {
      seal.update(chunk)
      await writeFully(file, chunk, position)
      position += chunk.length
    }
    await writeFully(file, seal.digest(), 0)
    await file.datasync()
  } finally {
    await file.close()
  }
  return { digest: digest.digest('hex'), bytes }
}

/** The content of a blob; throws `damaged` when one bit of its file is not what was written. */
export async function* readBlob(layout: Layout, digest: string): AsyncGenerator<Uint8Array> {
  const path = layout.blob(digest)
  const expectedSeal = await readSeal(path, digest)
  const seal = createHash('sha256')
  const content = createHash('sha256')
  async function* compressed(): AsyncGenerator<Uint8Array> {
    for await (const chunk of createReadStream(path, { start: SEAL_BYTES })) {
      seal.update(chunk)
      yield chunk
    }
  }
  let bytes = 0
  try {
    for await (const chunk of pipeline(Readable.from(compressed()), createZstdDecompress(), () => {})) {
      bytes += chunk.length
      if (bytes > BLOB_BYTES_MAX) throw new Error('its content is over the limit')
      content.update(chunk)
      yield chunk
    }
  } catch (cause) {
    throw damagedBlob(path, messageOf(cause), cause)
  }
  if (!seal.digest().equals(expectedSeal))
    throw damagedBlob(path, 'its bytes do not match the digest at its beginning')
  if (content.digest('hex') !== digest) throw damagedBlob(path, 'its content does not match its name')
}

async function readSeal(path: string, digest: string): Promise<Buffer> {
  let file: FileHandle | undefined
  try {
    if (!DIGEST.test(digest)) throw Object.assign(new Error('not a digest'), { code: 'ENOENT' })
    file = await open(path, 'r')
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SEAL_BYTES), 0, SEAL_BYTES, 0)
    if (bytesRead < SEAL_BYTES) throw damagedBlob(path, 'it is cut short')
    return buffer
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') {
      throw new TwotrackError('missing', `There is no blob ${digest} in ${dirname(dirname(path))}.`, {
        cause,
      })
    }
    throw diskError('read blob', path, cause)
  } finally {
    await file?.close()
  }
}

const damagedBlob = (path: string, reason: string, cause?: unknown) =>
  new TwotrackError('damaged', `Blob ${path} is damaged: ${reason}. Restore the file from a copy.`, {
    cause,
    details: { path },
  })

/** A damaged blob is written anew when its content comes by again. */
async function isIntact(layout: Layout, digest: string): Promise<boolean> {
  try {
    for await (const _ of readBlob(layout, digest));
    return true
  } catch {
    return false
  }
}

/** Every file below the blobs' folder, with its digest if it is named like a blob. */
export async function* blobFiles(
  layout: Layout,
): AsyncGenerator<{ path: string; digest: string | undefined }> {
  const names = await readdir(layout.blobs, { recursive: true, withFileTypes: true }).catch(() => [])
  for (const entry of names) {
    if (entry.isDirectory()) continue
    const path = join(entry.parentPath, entry.name)
    const digest = entry.name.slice(0, -BLOB_ENDING.length)
    yield { path, digest: DIGEST.test(digest) && layout.blob(digest) === path ? digest : undefined }
  }
}
