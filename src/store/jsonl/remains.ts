import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openHeader } from '../../core/event/line.ts'
import { TwotrackError } from '../../errors.ts'
import { namesIn, TEMPORARY_ENDING } from '../../files/disk.ts'
import { takeLease } from '../../files/lease.ts'
import { sha256 } from '../../sha256.ts'
import { type Layout, LOCK_ENDING, LOG_ENDING, REWRITING_ENDING, TORN_MARK } from './layout.ts'
import { readLog } from './log-file.ts'

const WHOLE = { from: 1, to: Number.POSITIVE_INFINITY }

/**
 * Removes what work that broke off left of logs: it may hold what the logs do not any more. The torn end of a log goes
 * once something was removed from that log, since it is of the same raw bytes. Logs that can't be read or are being
 * written are left.
 */
export async function removeRemains(layout: Layout): Promise<void> {
  for (const name of await namesIn(layout.traces)) {
    const isTorn = name.includes(TORN_MARK)
    if (!isTorn && !name.endsWith(TEMPORARY_ENDING) && !name.endsWith(REWRITING_ENDING)) continue
    const log = name.slice(0, name.lastIndexOf(LOG_ENDING) + LOG_ENDING.length)
    try {
      const lock = await takeLease(join(layout.traces, log + LOCK_ENDING), log)
      try {
        if (!isTorn || (await isRedacted(join(layout.traces, log))))
          await rm(join(layout.traces, name), { force: true })
      } finally {
        await lock.release()
      }
    } catch (thrown) {
      if (!(thrown instanceof TwotrackError) || (thrown.code !== 'locked' && thrown.code !== 'damaged'))
        throw thrown
    }
  }
}

async function isRedacted(path: string): Promise<boolean> {
  for await (const { bytes } of readLog(path, WHOLE))
    if (openHeader(bytes, sha256).header.type === 'redacted') return true
  return false
}
