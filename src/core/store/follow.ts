import { setTimeout as sleep } from 'node:timers/promises'
import { TwotrackError } from '../../errors.ts'
import { TAIL_POLL_MS } from '../../limits.ts'
import { sha256 } from '../../sha256.ts'
import { GENESIS, type Header } from '../event/event.ts'
import { type Opened, open, type Sealed } from '../event/line.ts'
import type { Head, LogWriter } from './store.ts'

/**
 * The check every writer makes before it accepts events: they were meant for this log at this place. Returns
 * the head after them. Throws `conflict` when the log's last seq is not `expectedSeq`, `bad_event` when the
 * events do not continue the chain.
 */
export function follow(agentId: string, head: Head, events: readonly Sealed[], expectedSeq: number): Head {
  if (expectedSeq !== head.seq) {
    throw new TwotrackError(
      'conflict',
      `Log ${agentId} ends at event ${head.seq}, not ${expectedSeq}: something else was appended. ` +
        'Read what is new and decide again.',
      { details: { expected: expectedSeq, actual: head.seq } },
    )
  }
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

/** The check every reader makes between two lines: why `opened` cannot come after `previous`, if it cannot. */
export const brokenChain = (agentId: string, previous: Head, opened: Opened): string | undefined =>
  brokenLink(agentId, previous, opened.header)

function brokenLink(agentId: string, previous: Head, next: Pick<Header, 'agent_id' | 'seq' | 'prev'>) {
  if (next.agent_id !== agentId) return `it belongs to the log of ${next.agent_id}`
  if (next.seq !== previous.seq + 1) return `it is event ${next.seq} where ${previous.seq + 1} belongs`
  return next.prev === previous.hash ? undefined : 'it does not continue the chain of the event before it'
}

/** A failed append says what is there: who frees some space goes on from that. */
export const endingAt = (seq: number, error: TwotrackError): TwotrackError =>
  error.code === 'io'
    ? new TwotrackError('io', `${error.message} Events up to ${seq} are on disk.`, {
        cause: error.cause,
        details: { ...error.details, seq },
      })
    : error

export const closedWriter = (agentId: string): TwotrackError =>
  new TwotrackError('closed', `The writer of log ${agentId} is closed; open it again.`)

/** Waits until a tail should look again; false when it should end. */
export async function isPastPause(signal: AbortSignal): Promise<boolean> {
  await sleep(TAIL_POLL_MS, undefined, { signal }).catch(() => {})
  return !signal.aborted
}

/** The steps of `rewrite`, with the checks that every store makes: one chain from the first event to the last. */
export function rewriting(agentId: string, [change, end]: Parameters<LogWriter['rewrite']>) {
  let head: Head = { seq: 0, hash: GENESIS }
  let last: Header | undefined
  return {
    /** What stands in the place of a line. */
    next(line: Uint8Array, opened: Opened): Uint8Array {
      const after = change(line, opened)
      const anew = after === line ? opened : open(after, sha256)
      const { seq } = opened.header
      const reason = brokenChain(agentId, head, anew)
      if (reason)
        throw new TwotrackError('bad_event', `Event ${seq} of ${agentId} can't be replaced: ${reason}.`)
      head = { seq, hash: anew.hash }
      last = anew.header
      return after
    },
    end(): readonly Sealed[] {
      const added = last ? end(head, last) : []
      head = follow(agentId, head, added, head.seq)
      return added
    },
    head: (): Head => head,
  }
}
