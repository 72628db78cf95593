import { statSync } from 'node:fs'
import { type FileHandle, open as openFile } from 'node:fs/promises'
import { open, openHeader } from '../../core/event/line.ts'
import type { StoredLine } from '../../core/store/engine.ts'
import { codeOf } from '../../errors.ts'
import { diskError } from '../../files/disk.ts'
import { LINE_BYTES_MAX } from '../../limits.ts'
import { sha256 } from '../../sha256.ts'
import { openArchive } from './archive.ts'
import { type LogBytes, lines, readEnd } from './lines.ts'

/** Below this distance it is cheaper to read on than to look further. */
const SEEK_BYTES = 256 * 1024

/** Reads a log, compressed or not; undefined when there is none. */
export async function reading<T>(path: string, read: (file: LogBytes) => Promise<T>): Promise<T | undefined> {
  const file = await openLog(path)
  try {
    return file && (await read(file))
  } catch (cause) {
    throw diskError('read log', path, cause)
  } finally {
    await file?.close()
  }
}

// A log that is packed or unpacked at this moment may be gone from one place and not be found in the other.
const openLog = async (path: string): Promise<LogBytes | undefined> =>
  (await openHandle(path, 'r')) ?? (await openArchive(path)) ?? (await openHandle(path, 'r'))

/** The file of a log that is not compressed; undefined when there is none. */
export async function openHandle(path: string, flags: 'r' | 'r+'): Promise<FileHandle | undefined> {
  let file: FileHandle | undefined
  try {
    if (!statSync(path, { throwIfNoEntry: false })) return undefined
    file = await openFile(path, flags)
    if (!(await file.stat()).isFile()) throw Object.assign(new Error('not a file'), { code: 'EISDIR' })
    return file
  } catch (cause) {
    await file?.close()
    if (codeOf(cause) === 'ENOENT') return undefined
    throw diskError('open log', path, cause)
  }
}

/** The lines of a range. It ends silently at what a broken write left, since it may be a write in progress. */
export async function* readLog(
  path: string,
  { from, to }: { readonly from: number; readonly to: number },
): AsyncGenerator<StoredLine> {
  const file = await openLog(path)
  if (!file) return
  try {
    const start = from > 1 ? await seek(file, from) : FIRST
    let { seq } = start
    for await (const { bytes, offset, ended } of lines(file, start.offset)) {
      if (seq > to || (!ended && isTorn(bytes))) return
      if (seq >= from) yield { bytes, at: { path, offset } }
      seq++
    }
  } catch (cause) {
    throw diskError('read log', path, cause)
  } finally {
    await file.close()
  }
}

interface Mark {
  readonly seq: number
  readonly offset: number
}

const FIRST: Mark = { seq: 1, offset: 0 }

/**
 * A line at or before the one that is wanted, found by halving: lines carry their seq. At the first sign that the log is
 * not in order it gives up and returns the start, where reading finds the damage and its place.
 */
async function seek(file: LogBytes, seq: number): Promise<Mark> {
  let low = FIRST
  let high = (await file.stat()).size
  while (high - low.offset > SEEK_BYTES) {
    const middle = low.offset + Math.floor((high - low.offset) / 2)
    const probe = await lineAfter(file, middle)
    if (probe === 'damaged') return FIRST
    if (probe === undefined || probe.offset >= high || probe.seq > seq) high = middle
    else low = probe
  }
  return low
}

/** The first line that begins after `offset`. */
async function lineAfter(file: LogBytes, offset: number): Promise<Mark | 'damaged' | undefined> {
  let skipped = false
  for await (const line of lines(file, offset - 1)) {
    if (skipped) return line.ended ? markOf(line.bytes, line.offset) : undefined
    skipped = true
  }
  return undefined
}

function markOf(bytes: Uint8Array, offset: number): Mark | 'damaged' {
  try {
    return { seq: openHeader(bytes, sha256).header.seq, offset }
  } catch {
    return 'damaged'
  }
}

interface LogEnd {
  /** The last line; what follows it where that is no broken write, since then it is damage. */
  readonly last?: StoredLine
  /** What a broken write left after the last whole line. */
  readonly torn: Uint8Array
  readonly tornOffset: number
}

/** The end of a log, from the end of its file alone. */
export async function logEnd(path: string, file: LogBytes): Promise<LogEnd> {
  const { last, rest, restOffset } = await readEnd(file, (await file.stat()).size)
  const none = new Uint8Array(0)
  if (rest.length > 0 && !isTorn(rest))
    return { last: { bytes: rest, at: { path, offset: restOffset } }, torn: none, tornOffset: restOffset }
  const whole = last && { last: { bytes: last.bytes, at: { path, offset: last.offset } } }
  return { ...whole, torn: rest, tornOffset: restOffset }
}

const BEGINNING = Buffer.from('{"header":{"v":')

/**
 * Whether bytes without a line feed can be what a broken write left: the beginning of an event, or the zeros
 * some disks leave. A whole event and one more byte is not: that byte was a line feed.
 */
function isTorn(rest: Uint8Array): boolean {
  if (rest.length > LINE_BYTES_MAX) return false
  const compared = Math.min(rest.length, BEGINNING.length)
  const begins = BEGINNING.subarray(0, compared).equals(rest.subarray(0, compared))
  return begins ? !isWholeEvent(rest.subarray(0, -1)) : rest.every((byte) => byte === 0)
}

function isWholeEvent(bytes: Uint8Array): boolean {
  try {
    open(bytes, sha256)
    return true
  } catch {
    return false
  }
}
