import { TwotrackError } from '../../errors.ts'
import type { Store } from '../../store/store.ts'
import { leftoversIn } from '../../workspace/leftovers.ts'

/** Where agents worked, and every store that may hold their logs: an agent of one must not look forgotten to another. */
export interface WorkspacePlaces {
  readonly project: string
  readonly folder: string
  readonly stores: readonly Store[]
}

/** A workspace or a copy: why it goes or stays, and what removing it gives back. */
export interface FoundWorkspace {
  readonly name: string
  readonly reason: string
  readonly bytes: number
  readonly goes: boolean
}

/** Removes workspaces and copies that no command needs any more; what can be accepted or resumed stays. */
export async function removeWorkspaces(places: WorkspacePlaces, dryRun: boolean): Promise<FoundWorkspace[]> {
  const found = await leftoversIn(places, async (agent_id) => {
    for (const store of places.stores) if (await hasLog(store, agent_id)) return true
    return false
  })
  if (!dryRun) for (const { remove } of found) await remove?.()
  return found.map(({ name, reason, bytes, remove }) => ({ name, reason, bytes, goes: remove !== undefined }))
}

async function hasLog(store: Store, agentId: string): Promise<boolean> {
  try {
    return (await store.head(agentId)) !== undefined
  } catch (thrown) {
    if (thrown instanceof TwotrackError && thrown.code === 'damaged') return true
    throw thrown
  }
}
