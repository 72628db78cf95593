import { cleanUp } from '../../app/retention.ts'
import type { CommandWords } from '../command.ts'
import type { CommonOptions } from '../options.ts'
import { bytes, type Found, safe, wrapped } from '../output.ts'

interface CleanOptions extends CommonOptions {
  readonly dryRun?: boolean
}

/** Removes workspaces and copies that no command needs any more; what can be accepted or resumed stays. */
async function cleanCommand({ dryRun = false, ...options }: CleanOptions): Promise<Found> {
  const found = await cleanUp(options, dryRun)
  const removed = found.filter(({ goes }) => goes).map(({ goes: _, ...one }) => one)
  const kept = found.filter(({ goes }) => !goes).map(({ name, reason }) => ({ name, reason }))
  const total = bytes(removed.reduce((sum, one) => sum + one.bytes, 0))
  const end = dryRun ? `${total} would be free. Without --dry-run it is removed.` : `${total} are free.`
  return {
    json: { dry_run: dryRun, removed, kept },
    lines: () => [
      ...removed.map(
        (one) =>
          `${dryRun ? 'would remove' : 'removed'} ${safe(one.name)} (${bytes(one.bytes)}): ${safe(one.reason)}`,
      ),
      ...kept.map(({ name, reason }) => wrapped(`kept ${safe(name)}: ${safe(reason)}`, 0, 2)),
      removed.length === 0 ? 'Nothing to remove.' : end,
    ],
  }
}

export default {
  examples: ['clean --dry-run', 'clean'],
  options: [['--dry-run', 'only say what would be removed']],
  call: cleanCommand,
} satisfies CommandWords
