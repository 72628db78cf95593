import { prune } from '../../event/line.ts'
import { sha256 } from '../../sha256.ts'
import type { Store } from '../../store/store.ts'
import { isWithin, stretches, tombstone } from '../tombstone.ts'
import type { Survey } from './survey.ts'

/**
 * Removes raw parts of one log and adds the tombstone that says so, in one step. Throws `locked` for a log that is being
 * written; false when something was recorded since the log was looked at.
 */
export async function buryRaw(store: Store, survey: Survey, reason: string): Promise<boolean> {
  const { agent_id, head, prunable, buried } = survey
  const writer = await store.open(agent_id)
  try {
    if (writer.head.hash !== head.hash) return false
    const seqs: number[] = []
    await writer.rewrite(
      (line, { header, raw }) => {
        if (raw === null || header.raw_sha256 === null || !isWithin(header.seq, prunable)) return line
        if (!isWithin(header.seq, buried)) seqs.push(header.seq)
        return prune(line, sha256)
      },
      (at, last) =>
        seqs.length === 0 ? [] : [tombstone(at, last, { by: 'compact', reason, raw: stretches(seqs) })],
    )
    return true
  } finally {
    await writer.close()
  }
}
