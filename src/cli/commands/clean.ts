import type { LoadedConfig } from '../../config/load.ts'
import { TwotrackError } from '../../errors.ts'
import type { Store } from '../../store/store.ts'
import { type Leftover, leftoversIn } from '../../workspace/leftovers.ts'
import { type CommonOptions, configFor, storesIn } from '../context.ts'
import { folderOf } from '../job.ts'
import { bytes, print, printJson, safe, wrapped } from '../output.ts'

export interface CleanOptions extends CommonOptions {
  readonly dryRun?: boolean
}

/** Removes workspaces and copies that no command needs any more; what can be accepted or resumed stays. */
export async function cleanCommand(options: CleanOptions): Promise<number> {
  show(await removeLeftovers(configFor(options), options.dryRun === true), options)
  return 0
}

/** What agents left in the folder of a configuration, once what is not needed is removed. */
export async function removeLeftovers(
  { config, root: project }: Pick<LoadedConfig, 'config' | 'root'>,
  dryRun: boolean,
): Promise<Leftover[]> {
  const folder = folderOf(config, project)
  // An agent of one store must not look forgotten because the other one is asked.
  const stores = storesIn(folder)
  try {
    const left = await leftoversIn({ project, folder }, async (agent_id) => {
      for (const store of stores) if (await hasLog(store, agent_id)) return true
      return false
    })
    if (!dryRun) for (const { remove } of left) await remove?.()
    return left
  } finally {
    for (const store of stores) await store.close()
  }
}

async function hasLog(store: Store, agentId: string): Promise<boolean> {
  try {
    return (await store.head(agentId)) !== undefined
  } catch (thrown) {
    if (thrown instanceof TwotrackError && thrown.code === 'damaged') return true
    throw thrown
  }
}

function show(left: readonly Leftover[], { json, dryRun = false }: CleanOptions): void {
  const plain = ({ name, reason, bytes }: Leftover) => ({ name, reason, bytes })
  const removed = left.filter(({ remove }) => remove).map(plain)
  const kept = left.filter(({ remove }) => !remove).map(({ name, reason }) => ({ name, reason }))
  if (json) {
    printJson({ dry_run: dryRun, removed, kept })
    return
  }
  const total = bytes(removed.reduce((sum, one) => sum + one.bytes, 0))
  for (const one of removed)
    print(
      `${dryRun ? 'would remove' : 'removed'} ${safe(one.name)} (${bytes(one.bytes)}): ${safe(one.reason)}`,
    )
  for (const { name, reason } of kept) print(wrapped(`kept ${safe(name)}: ${safe(reason)}`, 0, 2))
  if (removed.length === 0) print('Nothing to remove.')
  else print(dryRun ? `${total} would be free. Without --dry-run it is removed.` : `${total} are free.`)
}
