import { statSync } from 'node:fs'
import { type FileHandle, open as openFile } from 'node:fs/promises'
import type { Opened } from '../../core/event/line.ts'
import { isPastPause } from '../../core/store/follow.ts'
import type { Head, ReadOptions } from '../../core/store/store.ts'
import { codeOf, TwotrackError } from '../../errors.ts'
import { diskError } from '../../files/disk.ts'
import { openArchive } from './archive.ts'
import { lines, readEnd } from './lines.ts'
import { type Cursor, cursorAtStart, isTorn, type LogFile, openLine, scan } from './scan.ts'

/** Below this distance it is cheaper to read on than to look further. */
const SEEK_BYTES = 256 * 1024

/** Opens a log for reading; undefined when there is none. */
export async function openLog(agentId: string, path: string): Promise<LogFile | undefined> {
  // A log that is packed or unpacked at this moment may be gone from one place and not be found in the other.
  const file = (await openHandle(path, 'r')) ?? (await openArchive(path)) ?? (await openHandle(path, 'r'))
  return file && { agentId, path, file }
}

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

/**
 * The checked lines of a range; with a signal, then each new one as it becomes whole, until it aborts. A range
 * that begins late is looked up, not read up to.
 */
export async function* readLog(
  agentId: string,
  path: string,
  { from = 1, to = Number.POSITIVE_INFINITY, raw = true }: ReadOptions,
  following?: AbortSignal,
): AsyncGenerator<Opened> {
  const log = await openLog(agentId, path)
  if (!log) throw missingLog(agentId, path)
  try {
    const cursor = from > 1 ? await seek(log, from) : cursorAtStart()
    do {
      for await (const opened of scan(log, cursor, raw)) {
        if (opened.header.seq > to || following?.aborted) return
        if (opened.header.seq >= from) yield opened
      }
      if (cursor.offset === 0) throw missingLog(agentId, path)
    } while (following && (await isPastPause(following)))
  } catch (cause) {
    throw diskError('read log', path, cause)
  } finally {
    await log.file.close()
  }
}

export const missingLog = (agentId: string, path: string): TwotrackError =>
  new TwotrackError('missing', `There is no log of ${agentId} (${path} has no events).`, {
    details: { agent_id: agentId },
  })

/**
 * A place at or before event `seq`, found by halving: lines carry their seq. At the first sign that the log
 * is not in order it gives up and returns the start, where reading finds the damage and its place.
 */
async function seek(log: LogFile, seq: number): Promise<Cursor> {
  let low = 0
  let high = (await log.file.stat()).size
  while (high - low > SEEK_BYTES) {
    const middle = low + Math.floor((high - low) / 2)
    const probe = await lineAfter(log, middle)
    if (probe === 'damaged') return cursorAtStart()
    if (probe === undefined || probe.offset >= high || probe.seq > seq) high = middle
    else low = probe.offset
  }
  const first = low === 0 ? undefined : await lineAfter(log, low)
  return typeof first === 'object' && first.seq <= seq ? { offset: low, head: undefined } : cursorAtStart()
}

/** The first line that begins at `offset` or later. */
async function lineAfter(
  log: LogFile,
  offset: number,
): Promise<{ seq: number; offset: number } | 'damaged' | undefined> {
  let skipped = false
  for await (const line of lines(log.file, offset - 1)) {
    if (skipped) {
      if (!line.ended) return undefined
      const opened = openLine(log.agentId, line, undefined)
      return typeof opened === 'string' ? 'damaged' : { seq: opened.header.seq, offset: line.offset }
    }
    skipped = true
  }
  return undefined
}

interface LogEnd {
  readonly head: Head | undefined
  /** What a broken write left after the last whole event. */
  readonly torn: Uint8Array
  readonly tornOffset: number
}

/**
 * The head of a log from its last line alone. When that line or what follows it is damaged, the whole log is
 * read to say where the damage begins.
 */
export async function readLogEnd(log: LogFile): Promise<LogEnd> {
  const { size } = await log.file.stat()
  const end = await readEnd(log.file, size)
  const opened = end.last && openLine(log.agentId, end.last, undefined)
  if (typeof opened !== 'string' && (end.rest.length === 0 || isTorn(end.rest))) {
    const head = opened && { seq: opened.header.seq, hash: opened.hash }
    return { head, torn: end.rest, tornOffset: end.restOffset }
  }
  const cursor = cursorAtStart()
  for await (const _ of scan(log, cursor));
  // Whole after all: another process was writing or recovering while this one read the end.
  const head = cursor.head?.seq === 0 ? undefined : cursor.head
  return { head, torn: new Uint8Array(0), tornOffset: cursor.offset }
}
