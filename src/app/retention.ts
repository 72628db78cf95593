import { type Compacted, compact } from '../audit/compact/compact.ts'
import type { Retention } from '../audit/compact/policy.ts'
import { type ProjectOptions, withStore, withStores } from './context.ts'
import { purge } from './vault.ts'

/** Removes raw output whose time is over, as the configuration says where `wanted` does not. */
export const compactStore = (
  options: ProjectOptions,
  wanted: Partial<Retention>,
  dry_run: boolean,
  onLog: (done: number, all: number) => void,
): Promise<{ readonly retention: Retention; readonly done: Compacted }> =>
  withStore(options, async (store, { config, folder }) => {
    if (!dry_run) purge(folder, () => false)
    const retention = { ...config.runner.memory.retention, ...wanted }
    const done = await withStores(options, (workspaces) =>
      compact(store, { ...retention, dry_run, workspaces, onLog }),
    )
    return { retention, done }
  })
