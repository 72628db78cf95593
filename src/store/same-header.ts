import { TwotrackError } from '../errors.ts'
import { type Opened, open } from '../event/line.ts'
import { sha256 } from '../sha256.ts'

/** The check every store makes before a line takes the place of another: the chain must stay as it is. */
export function assertSameHeader(before: Opened, line: Uint8Array): void {
  if (open(line, sha256).hash === before.hash) return
  throw new TwotrackError(
    'bad_event',
    `Event ${before.header.seq} of ${before.header.agent_id} can't be replaced by one with another header.`,
  )
}
