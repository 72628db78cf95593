import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { constants, zstdDecompressSync } from 'node:zlib'
import type { Header } from '../../core/event/event.ts'
import { open, openHeader } from '../../core/event/line.ts'
import { codeOf, messageOf } from '../../errors.ts'
import { sha256 } from '../../sha256.ts'
import { SEAL_BYTES } from './archive.ts'
import { ARCHIVE_ENDING, type Layout, logName } from './layout.ts'
import { lines } from './lines.ts'
import { openLog } from './read-log.ts'

/** More than any header takes: five ids of 512 characters, each written as `\uXXXX`. */
const BEGINNING_BYTES = 32 * 1024
/** What follows a payload and a raw part in a line: `,"raw":`, `}` and the line feed. */
const AROUND_RAW_BYTES = 9

/**
 * The header of a log's first event, from the beginning of its file: listing looks at every log, and believes no index.
 * Undefined if it has no event yet, or a text saying why it is no log.
 */
export async function firstHeader(layout: Layout, name: string): Promise<Header | string | undefined> {
  const path = join(layout.traces, name)
  try {
    const { bytes, isWhole } = beginningOf(path) ?? packedBeginning(path)
    const { header, payloadFrom } = openHeader(bytes, sha256)
    const end = payloadFrom + header.payload_bytes + Math.max(header.raw_bytes, 4) + AROUND_RAW_BYTES
    if (isWhole(end)) return ownHeader(header, name)
  } catch {
    // Reading all of the line tells what is wrong with it.
  }
  return firstOf(layout, name)
}

/** The same, from the whole first line. */
export async function firstOf(layout: Layout, name: string): Promise<Header | string | undefined> {
  try {
    const log = await openLog(name, join(layout.traces, name))
    if (!log) return undefined
    try {
      for await (const line of lines(log.file))
        return line.ended ? ownHeader(open(line.bytes, sha256).header, name) : undefined
      return undefined
    } finally {
      await log.file.close()
    }
  } catch (thrown) {
    return messageOf(thrown)
  }
}

const ownHeader = (header: Header, name: string): Header | string =>
  logName(header.agent_id) === name
    ? header
    : `it holds the log of ${header.agent_id}, which has another file name`

interface Beginning {
  readonly bytes: Uint8Array
  /** Whether the file goes on to this byte at least. */
  isWhole(end: number): boolean
}

function beginningOf(path: string): Beginning | undefined {
  const read = readBeginning(path)
  return read && { bytes: read.bytes, isWhole: (end) => read.size >= end }
}

/** A compressed log is whole: nobody writes it. */
function packedBeginning(path: string): Beginning {
  const packed = readBeginning(path + ARCHIVE_ENDING)?.bytes.subarray(SEAL_BYTES) ?? new Uint8Array(0)
  // The rest of it is not there, and not needed.
  const bytes = zstdDecompressSync(packed, { finishFlush: constants.ZSTD_e_flush })
  return { bytes, isWhole: () => true }
}

function readBeginning(path: string): { bytes: Uint8Array; size: number } | undefined {
  let file: number | undefined
  try {
    file = openSync(path, 'r')
    const buffer = Buffer.allocUnsafe(BEGINNING_BYTES)
    const read = readSync(file, buffer, 0, BEGINNING_BYTES, 0)
    return { bytes: buffer.subarray(0, read), size: fstatSync(file).size }
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined
    throw cause
  } finally {
    if (file !== undefined) closeSync(file)
  }
}
