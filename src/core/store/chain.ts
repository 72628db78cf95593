import { messageOf, TwotrackError } from '../../errors.ts'
import { LINE_BYTES_MAX } from '../../limits.ts'
import { sha256 } from '../../sha256.ts'
import { GENESIS, type Header } from '../event/event.ts'
import { type Opened, open, openHeader, type Sealed } from '../event/line.ts'
import type { Line, Rewriting, StoredLine } from './engine.ts'
import type { Head, LogWriter } from './store.ts'

/** The head of a log without events. */
export const START: Head = { seq: 0, hash: GENESIS }

/**
 * The check before events are accepted: they were meant for this log at this place. Returns the head after them. Throws
 * `conflict` when the log's last seq is not `expectedSeq`, `bad_event` when the events do not continue the chain.
 */
export function follow(agentId: string, head: Head, events: readonly Sealed[], expectedSeq: number): Head {
  if (expectedSeq !== head.seq) throw endsElsewhere(agentId, expectedSeq, head.seq)
  let last = head
  for (const { event } of events) {
    const reason = brokenLink(agentId, last, event)
    if (reason) {
      throw new TwotrackError('bad_event', `Event ${event.seq} can't be appended to ${agentId}: ${reason}.`)
    }
    last = { seq: event.seq, hash: event.hash }
  }
  return last
}

/** For engines: where a log ends whose last line is this. Throws `damaged`. */
export function headOfLine(bytes: Uint8Array): Head {
  const { header, hash } = openHeader(bytes, sha256)
  return { seq: header.seq, hash }
}

/** For engines: throws `conflict` unless a log ends where it was expected to. */
export function assertHead(id: string, actual: Head | undefined, expected: Head): void {
  const { seq, hash } = actual ?? START
  if (seq !== expected.seq || hash !== expected.hash) throw endsElsewhere(id, expected.seq, seq)
}

const endsElsewhere = (id: string, expected: number, actual: number) =>
  new TwotrackError(
    'conflict',
    `Log ${id} ends at event ${actual}, and not as expected at ${expected}: something else was appended. ` +
      'Read what is new and decide again.',
    { details: { expected, actual } },
  )

/** For engines: what comes with a lease that another one followed, or that ended. */
export const endedLease = (id: string): TwotrackError =>
  new TwotrackError('conflict', `Log ${id} is not held by this lease any more. Open it again.`)

export const lineOf = ({ event, line }: Sealed): Line => ({
  bytes: Buffer.from(line),
  hash: event.hash,
  header: event,
})

/**
 * The event of a stored line, or why it is not the one that belongs there. Without `previous` it is only known which seq
 * it must have, if that.
 */
export function openLine(
  agentId: string,
  bytes: Uint8Array,
  previous: Partial<Head>,
  raw = true,
): Opened | string {
  if (bytes.length > LINE_BYTES_MAX) return `it is longer than the limit of ${LINE_BYTES_MAX} bytes`
  try {
    const opened = open(bytes, sha256, { raw })
    const { seq, prev } = opened.header
    return brokenLink(agentId, { seq: seq - 1, hash: prev, ...previous }, opened.header) ?? opened
  } catch (thrown) {
    if (thrown instanceof TwotrackError && thrown.code === 'newer_version') throw thrown
    return messageOf(thrown)
  }
}

function brokenLink(agentId: string, previous: Head, next: Pick<Header, 'agent_id' | 'seq' | 'prev'>) {
  if (next.agent_id !== agentId) return `it belongs to the log of ${next.agent_id}`
  if (next.seq !== previous.seq + 1) return `it is event ${next.seq} where ${previous.seq + 1} belongs`
  return next.prev === previous.hash ? undefined : 'it does not continue the chain of the event before it'
}

/** What is thrown for damage: the line of a log, where it is stored, and why it is not what belongs there. */
export function damagedLine(
  id: string,
  line: number,
  at: StoredLine['at'] = {},
  reason: string,
): TwotrackError {
  const { path = id, offset, row } = at
  const place = offset === undefined ? row && ` (row ${row})` : ` (byte ${offset})`
  return new TwotrackError(
    'damaged',
    `Log ${path} is damaged at line ${line}${place ?? ''}: ${reason}. ` +
      `${line === 1 ? 'It may not be a log at all' : 'The events before it can still be read'}; ` +
      'restore it from a copy, or move it away.',
    { details: { line, ...at, agent_id: id } },
  )
}

/** The steps of `rewrite` for an engine, with the checks: each line keeps its header, and with it the chain. */
export function rewriting(
  agentId: string,
  [change, end]: Parameters<LogWriter['rewrite']>,
): Rewriting & { head(): Head } {
  let head = START
  let last: Header | undefined
  return {
    next({ bytes, at }) {
      const opened = openLine(agentId, bytes, head)
      if (typeof opened === 'string') throw damagedLine(agentId, head.seq + 1, at, opened)
      const changed = change(bytes, opened)
      const anew = changed === bytes ? opened : openLine(agentId, changed, head)
      head = { seq: opened.header.seq, hash: opened.hash }
      last = opened.header
      if (typeof anew === 'string' || anew.hash !== opened.hash)
        throw new TwotrackError(
          'bad_event',
          `Event ${head.seq} of ${agentId} can't be replaced: ${typeof anew === 'string' ? anew : 'it has another header'}.`,
        )
      return { bytes: changed, hash: opened.hash, header: opened.header }
    },
    end() {
      const added = last ? end(head, last) : []
      head = follow(agentId, head, added, head.seq)
      return added.map(lineOf)
    },
    head: () => head,
  }
}
