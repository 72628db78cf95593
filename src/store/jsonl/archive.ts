import { createHash } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { messageOf, TwotrackError } from '../../errors.ts'
import { diskError, replaceFile, statOrAbsent, syncFolder } from '../../files/disk.ts'
import { zstdCompressSync, zstdDecompressSync } from '../../files/zstd.ts'
import { ARCHIVE_ENDING } from './layout.ts'
import { inMemory, type LogBytes } from './lines.ts'

/** A log that is compressed as a whole, in bytes before that: it is held in memory while it is read. */
const ARCHIVE_BYTES_MAX = 64 * 1024 * 1024

/**
 * A log that nobody writes, compressed beside its place: the sha256 of the compressed bytes (32 bytes), then those
 * bytes, like a blob. Where both are there the log itself counts: it was being packed or unpacked when something failed.
 */
const SEAL_BYTES = 32

/** Compresses a log whose lock is held. Gives the bytes that this saves. */
export async function packLog(path: string): Promise<number> {
  const size = (await statOrAbsent(path))?.size
  if (size === undefined || size > ARCHIVE_BYTES_MAX) return 0
  const packed = zstdCompressSync(await readFile(path))
  if (packed.length + SEAL_BYTES >= size) return 0
  await replaceFile(path + ARCHIVE_ENDING, Buffer.concat([sealOf(packed), packed]), true)
  await syncFolder(dirname(path))
  await rm(path)
  return size - packed.length - SEAL_BYTES
}

/** Makes a log whose lock is held an ordinary file again, and removes what an earlier attempt left. */
export async function unpackLog(path: string): Promise<void> {
  const archive = path + ARCHIVE_ENDING
  if (!(await statOrAbsent(archive))) return
  if (!(await statOrAbsent(path))) {
    await replaceFile(path, await unpacked(archive), true)
    await syncFolder(dirname(path))
  }
  await rm(archive)
}

/** The log at a path as it was before it was compressed; undefined when there is no archive of it. */
export async function openArchive(path: string): Promise<LogBytes | undefined> {
  const archive = path + ARCHIVE_ENDING
  if (!(await statOrAbsent(archive))) return undefined
  return inMemory(await unpacked(archive))
}

async function unpacked(archive: string): Promise<Buffer> {
  const file = await readFile(archive).catch((cause: unknown) => {
    throw diskError('read archive', archive, cause)
  })
  const packed = file.subarray(SEAL_BYTES)
  try {
    if (sealOf(packed).equals(file.subarray(0, SEAL_BYTES)))
      return zstdDecompressSync(packed, { maxOutputLength: ARCHIVE_BYTES_MAX })
  } catch (cause) {
    throw damaged(archive, messageOf(cause), cause)
  }
  throw damaged(archive, 'its bytes do not match the digest at its beginning')
}

const sealOf = (packed: Uint8Array): Buffer => createHash('sha256').update(packed).digest()

const damaged = (path: string, reason: string, cause?: unknown) =>
  new TwotrackError('damaged', `Log ${path} is damaged: ${reason}. Restore the file from a copy.`, {
    cause,
    details: { line: 1, offset: 0, path },
  })
