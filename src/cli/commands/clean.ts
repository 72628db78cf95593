import { configFor, memorySettings, storesIn } from '../../app/context.ts'
import { folderOf } from '../../app/job.ts'
import { type FoundWorkspace, removeWorkspaces, type WorkspacePlaces } from '../../audit/compact/compact.ts'
import type { LoadedConfig } from '../../config/load.ts'
import type { CommonOptions } from '../options.ts'
import { bytes, print, printJson, safe, wrapped } from '../output.ts'

export interface CleanOptions extends CommonOptions {
  readonly dryRun?: boolean
}

/** Removes workspaces and copies that no command needs any more; what can be accepted or resumed stays. */
export async function cleanCommand(options: CleanOptions): Promise<number> {
  const dryRun = options.dryRun === true
  show(await withWorkspaces(configFor(options), (places) => removeWorkspaces(places, dryRun)), options)
  return 0
}

/** Calls with where the agents of a configuration worked, and closes the stores afterwards. */
export async function withWorkspaces<T>(
  { config, root: project }: Pick<LoadedConfig, 'config' | 'root'>,
  use: (places: WorkspacePlaces) => Promise<T>,
): Promise<T> {
  const folder = folderOf(config, project)
  const stores = storesIn(folder)
  try {
    return await use({ project, folder, stores, secrets: memorySettings(config).secrets })
  } finally {
    for (const store of stores) await store.close()
  }
}

function show(found: readonly FoundWorkspace[], { json, dryRun = false }: CleanOptions): void {
  const removed = found.filter(({ goes }) => goes).map(({ goes: _, ...one }) => one)
  const kept = found.filter(({ goes }) => !goes).map(({ name, reason }) => ({ name, reason }))
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
