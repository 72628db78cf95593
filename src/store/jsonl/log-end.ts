import { type Opened, open } from '../../core/event/line.ts'
import type { StoredLine } from '../../core/store/engine.ts'
import { sha256 } from '../../sha256.ts'
import { type FileLine, type LogBytes, lines, readEnd, readSpan } from './lines.ts'
import { seek } from './seek.ts'

/** What disks write as a whole, or not at all. */
const SECTOR_BYTES = 512
const BEGINNING = Buffer.from('{"header":{"v":')
const CHUNK_BYTES = 1024 * 1024

interface LogEnd {
  /** The last line; what follows it where that is no broken write, since then it is damage. */
  readonly last?: StoredLine
  /** Where the log ends; what a broken write left comes after it. */
  readonly size: number
  readonly fileSize: number
}

/**
 * The end of a log, mostly from the end of its file alone. After a power failure any sectors of what was not synced yet may
 * be zeros. A line says since which event that was (`since`); everything before that was acknowledged, and zeros in there
 * are damage.
 */
export async function logEnd(path: string, file: LogBytes): Promise<LogEnd> {
  const fileSize = (await file.stat()).size
  const { last, rest, restOffset } = await readEnd(file, fileSize)
  const at = (line: Pick<FileLine, 'bytes' | 'offset'>) => ({
    bytes: line.bytes,
    at: { path, offset: line.offset },
  })
  const restLine = { bytes: rest, offset: restOffset }
  const isWhole = !last || eventOf(last.bytes) !== undefined
  const isTorn = rest.length > 0 && (isBeginning(rest) || hasHole(rest, restOffset, restOffset, fileSize))
  if (isWhole && last?.since === undefined && (rest.length === 0 || isTorn))
    return { ...(last ? { last: at(last) } : {}), size: restOffset, fileSize }
  // Lines that were written together, or what is no line: looked at one by one, from where all was on disk.
  const { good, bad, isUnsynced } = await walk(file, isWhole ? (last?.since ?? 1) : 1, fileSize)
  if (!bad) return { ...(last ? { last: at(last) } : {}), size: fileSize, fileSize }
  if (!isUnsynced)
    return { last: at(rest.length > 0 ? restLine : (last ?? restLine)), size: fileSize, fileSize }
  return { ...(good ? { last: at(good) } : {}), size: bad.offset, fileSize }
}

/** The lines from an event on: the last good one, the first bad one, and whether that one can be what was not synced yet. */
async function walk(file: LogBytes, from: number, fileSize: number) {
  let good: FileLine | undefined
  let before: Opened | undefined
  let bad: (Pick<FileLine, 'offset'> & { readonly seq: number }) | undefined
  let isTorn = false
  let isSynced = false
  for await (const line of lines(file, (await seek(file, from)).offset)) {
    const event = line.ended ? eventOf(line.bytes) : undefined
    const { header } = event ?? {}
    const follows =
      header && (before ? header.prev === before.hash && header.seq === before.header.seq + 1 : !bad)
    if (follows && !bad) {
      before = event
      good = { ...line, bytes: Buffer.from(line.bytes) }
      continue
    }
    bad ??= { offset: line.offset, seq: (before?.header.seq ?? 0) + 1 }
    // What was written when this was on disk already.
    if (header && (line.since ?? header.seq) > bad.seq) isSynced = true
    if (event) continue
    isTorn ||= hasHole(line.bytes, line.offset, bad.offset, fileSize)
    if (line.ended) continue
    isTorn ||= line.offset === bad.offset && isBeginning(line.bytes)
    // The rest of what is longer than any line.
    const to = line.offset + line.bytes.length
    if (to < fileSize && !(await isZero(file, to, fileSize))) isSynced = true
  }
  return { good, bad, isUnsynced: isTorn && !isSynced }
}

/**
 * The beginning of an event that was not written to its end, zeros behind it or not. A whole event and one more byte is
 * none: that was a line feed.
 */
function isBeginning(rest: Uint8Array): boolean {
  let end = rest.length
  while (end > 0 && rest[end - 1] === 0) end--
  const text = rest.subarray(0, end)
  const compared = Math.min(end, BEGINNING.length)
  const begins = end > 0 && BEGINNING.subarray(0, compared).equals(text.subarray(0, compared))
  const whole = end === rest.length ? text.subarray(0, -1) : text
  return begins && eventOf(whole) === undefined
}

/** Whether whole sectors are zeros. A log has none. `begin` is where what was not synced yet begins, within a sector. */
function hasHole(bytes: Uint8Array, offset: number, begin: number, end: number): boolean {
  // A sector may have been written when it held less: up to the end of a line.
  const isEdge = (place: number) =>
    place % SECTOR_BYTES === 0 || place === begin || place === end || place === offset
  for (let from = bytes.indexOf(0); from !== -1; ) {
    let to = from
    while (to < bytes.length && bytes[to] === 0) to++
    if (isEdge(offset + from) && isEdge(offset + to)) return true
    from = bytes.indexOf(0, to)
  }
  return false
}

async function isZero(file: LogBytes, from: number, to: number): Promise<boolean> {
  for (let at = from; at < to; at += CHUNK_BYTES)
    if ((await readSpan(file, at, Math.min(at + CHUNK_BYTES, to))).some((byte) => byte !== 0)) return false
  return true
}

function eventOf(bytes: Uint8Array): Opened | undefined {
  try {
    return open(bytes, sha256, { raw: false })
  } catch {
    return undefined
  }
}
