import { TwotrackError } from '../errors.ts'
import { GENESIS, type Header } from '../event/event.ts'
import { type Opened, open, type Sealed } from '../event/line.ts'
import { sha256 } from '../sha256.ts'
import { brokenChain, follow } from './follow.ts'
import type { Head, LogWriter } from './store.ts'

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
