import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { canonical, type Json } from '../core/event/json.ts'
import { encodeId } from '../core/store/encode-id.ts'
import type { Store } from '../core/store/store.ts'
import { TwotrackError } from '../errors.ts'
import { isHeld } from '../files/lock.ts'
import { Memory, type MemoryOptions } from '../memory.ts'
import { Contents } from '../workspace/contents.ts'
import { homeOf, useOf, type WorkspaceOptions, type WorkspacePlace } from '../workspace/make.ts'
import { type Change, changeOf, merge, type ProjectLog } from '../workspace/merged.ts'
import type { Pending } from '../workspace/proposal.ts'
import { begunOf, proposalOf } from '../workspace/propose.ts'
import { openWorkspace, type Workspace, workspaceFor } from '../workspace/workspace.ts'
import { readProposal } from './proposal.ts'

/** An agent's own copy of a project, and what it proposed of it before. */
export interface OwnCopy {
  readonly workspace: Workspace
  readonly pending: Pending
}

/**
 * A copy for an agent to work in. One that goes on has what it proposed and nobody decided about; one that was killed has
 * what it left on disk, unless it is portable: then its log has what it did, and the disk may be behind another machine's.
 */
export async function ownCopy(options: WorkspaceOptions, store: Store, isNew: boolean): Promise<OwnCopy> {
  if (isNew) return { workspace: await workspaceFor(options, []), pending: new Map() }
  const { pending, agent } = await readProposal(store, options.id)
  if (!options.portable && agent.reason === undefined && isLeft(options))
    return { workspace: await workspaceFor(options), pending }
  const { begun, absent } = await begunOf(pending, new Contents({ store, agentId: options.id }))
  if (absent.length > 0)
    throw new TwotrackError(
      'missing',
      `What "${options.id}" proposed for ${absent.join(', ')} holds a secret, and the key that it is sealed with is ` +
        'elsewhere. Go on there, bring the key (docs/security.md), or reject it.',
    )
  return { workspace: await workspaceFor(options, begun), pending }
}

/** Records what an agent's copy changed, unless just that is proposed already. Gives what stands proposed. */
export async function propose(
  memory: Memory,
  store: Store,
  { workspace, pending }: OwnCopy,
): Promise<Pending> {
  const contents = new Contents({ store, agentId: memory.agent_id })
  const data = await proposalOf(workspace, contents, memory.border)
  if (canonical(data.files as Json) === canonical([...pending.values()] as Json)) return pending
  await memory.record({ type: 'proposal', data }, contents.blobs)
  return new Map(data.files.map((file) => [file.path, file]))
}

/** What stands proposed, as a diff of the project as it is now. */
export const changesOf = async (place: ProjectLog, pending: Pending): Promise<Change[]> =>
  (await merge(place, pending.values())).map(changeOf)

/** Whether there is a workspace on disk: an agent is at work in it, or was killed. */
const isLeft = (place: WorkspacePlace): boolean => existsSync(join(homeOf(place), 'manifest.json'))

/**
 * Makes a proposal of what an agent left on disk that was killed, so that its log alone tells of it. False while somebody
 * uses it.
 */
export async function settle(
  store: Store,
  place: WorkspacePlace,
  options: Pick<MemoryOptions, 'secrets'> = {},
): Promise<boolean> {
  if (!isLeft(place)) return true
  if (isHeld(useOf(place.folder, encodeId(place.id)))) return false
  const memory = await Memory.open({ ...options, store, agentId: place.id })
  try {
    const { pending, agent } = await readProposal(store, place.id)
    const workspace = await openWorkspace(place)
    if (agent.reason === undefined) await propose(memory, store, { workspace, pending })
    await workspace.discard()
    return true
  } finally {
    await memory.close()
  }
}
