import { TwotrackError } from '../errors.ts'
import type { Event } from '../event/event.ts'
import { GENESIS } from '../event/event.ts'
import { type Opened, open, type Sealed } from '../event/line.ts'
import { sha256 } from '../sha256.ts'
import { follow } from './follow.ts'
import type { Head, LogWriter } from './store.ts'

/** The check every store makes before a line takes the place of another: the chain must stay as it is. */
export function assertSameHeader(before: Opened, line: Uint8Array): void {
  if (open(line, sha256).hash === before.hash) return
  throw new TwotrackError(
    'bad_event',
    `Event ${before.header.seq} of ${before.header.agent_id} can't be replaced by one with another header.`,
  )
}

/** The steps of `reseal`, with the checks that every store makes: a chain from the first event to the last. */
export function resealing(agentId: string, [change, end]: Parameters<LogWriter['reseal']>) {
  let head: Head = { seq: 0, hash: GENESIS }
  let last: Event | undefined
  const followed = (sealed: Sealed): Sealed => {
    head = follow(agentId, head, [sealed], head.seq)
    last = sealed.event
    return sealed
  }
  return {
    next: (opened: Opened): Sealed => followed(change(opened)),
    end: (): readonly Sealed[] => (last ? end(head, last).map(followed) : []),
    head: (): Head => head,
  }
}
