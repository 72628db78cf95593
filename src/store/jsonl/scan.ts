import { GENESIS } from '../../core/event/event.ts'
import { type Opened, open } from '../../core/event/line.ts'
import { brokenChain } from '../../core/store/follow.ts'
import type { Head } from '../../core/store/store.ts'
import { messageOf, TwotrackError } from '../../errors.ts'
import { LINE_BYTES_MAX } from '../../limits.ts'
import { sha256 } from '../../sha256.ts'
import { type Line, type LogBytes, lines } from './lines.ts'

/** A log file being read. */
export interface LogFile {
  readonly agentId: string
  readonly path: string
  readonly file: LogBytes
}

/** Where the next line begins and what it must follow; `head` undefined: whatever it says is believed. */
export interface Cursor {
  offset: number
  head: Head | undefined
}

export const cursorAtStart = (): Cursor => ({ offset: 0, head: { seq: 0, hash: GENESIS } })

/**
 * The whole events from the cursor on, each checked by itself and against the one before; the cursor moves
 * along. Stops silently at an unterminated tail that looks like the beginning of an event, since it may be a
 * write in progress. Anything else that is not the next event throws `damaged` with line and byte offset.
 */
export async function* scan(log: LogFile, cursor: Cursor, raw = true): AsyncGenerator<Opened> {
  for (let suspect = -1; ; ) {
    let problem: string | undefined
    for await (const line of lines(log.file, cursor.offset)) {
      if (!line.ended && isTorn(line.bytes)) return
      const opened = openLine(log.agentId, line, cursor.head, raw)
      if (typeof opened === 'string') {
        problem = opened
        break
      }
      cursor.offset = line.offset + line.bytes.length + 1
      cursor.head = { seq: opened.header.seq, hash: opened.hash }
      yield opened
    }
    if (problem === undefined) return
    // A torn tail may be cut and overwritten while it is read: only what is damaged twice is damage.
    if (suspect === cursor.offset) throw await damagedAt(log, cursor.offset, problem)
    suspect = cursor.offset
  }
}

/** The event of a line, or why it is not the event that belongs there. */
export function openLine(
  agentId: string,
  line: Line,
  previous: Head | undefined,
  raw = true,
): Opened | string {
  if (line.bytes.length > LINE_BYTES_MAX) return `it is longer than the limit of ${LINE_BYTES_MAX} bytes`
  if (!line.ended) return 'it does not end like an event'
  try {
    const opened = open(line.bytes, sha256, { raw })
    const { seq, prev } = opened.header
    return brokenChain(agentId, previous ?? { seq: seq - 1, hash: prev }, opened) ?? opened
  } catch (thrown) {
    if (thrown instanceof TwotrackError && thrown.code === 'newer_version') throw thrown
    return messageOf(thrown)
  }
}

const BEGINNING = Buffer.from('{"header":{"v":')

/**
 * Whether bytes without a line feed can be what a broken write left: the beginning of an event, or the zeros
 * some disks leave. A whole event and one more byte is not: that byte was a line feed.
 */
export function isTorn(rest: Uint8Array): boolean {
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

async function damagedAt(log: LogFile, offset: number, reason: string): Promise<TwotrackError> {
  let line = 1
  for await (const before of lines(log.file)) {
    if (before.offset >= offset) break
    line++
  }
  return new TwotrackError(
    'damaged',
    `Log ${log.path} is damaged at line ${line} (byte ${offset}): ${reason}. ` +
      `${line === 1 ? 'It may not be a log at all' : 'The events before it can still be read'}; ` +
      'restore the file from a copy, or move it away.',
    { details: { line, offset, path: log.path, agent_id: log.agentId } },
  )
}
