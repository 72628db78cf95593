import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf, TwotrackError } from '../errors.ts'
import { lstatOrAbsent } from '../files/confine.ts'
import { filesBelow, namesIn } from '../files/disk.ts'
import { isHeld } from '../files/lock.ts'
import { copiesIn } from './copies.ts'
import { useOf } from './make.ts'
import { readManifest } from './manifest.ts'
import { openWorkspace } from './workspace.ts'

/** A workspace or a copy on disk. */
export interface Leftover {
  readonly name: string
  /** Why it can go, or why it stays. */
  readonly reason: string
  /** What removing gives back. */
  readonly bytes: number
  /** Removes it, or what of it is not needed; not there when it has to stay. */
  readonly remove?: () => Promise<void>
}

/**
 * What agents left under `folder`. Nothing that a process uses, that can be accepted or that a resumed agent needs is
 * removed. `hasLog` tells whether there are records of an agent.
 */
export async function leftoversIn(
  places: { readonly project: string; readonly folder: string },
  hasLog: (agent_id: string) => Promise<boolean>,
): Promise<Leftover[]> {
  const found: Leftover[] = []
  for (const { name, path, remove } of await copiesIn(places.folder))
    found.push({ name, reason: 'a copy of the project that a run left', bytes: await sizeOf(path), remove })
  const workspaces = join(places.folder, 'workspaces')
  for (const name of await namesIn(workspaces))
    found.push({ name, ...(await classify(places, join(workspaces, name), name, hasLog)) })
  return found
}

async function classify(
  { project, folder }: { readonly project: string; readonly folder: string },
  home: string,
  name: string,
  hasLog: (agent_id: string) => Promise<boolean>,
): Promise<Omit<Leftover, 'name'>> {
  const stays = (reason: string) => ({ reason, bytes: 0 })
  const goes = async (reason: string) => {
    return { reason, bytes: await sizeOf(home), remove: () => rm(home, { recursive: true, force: true }) }
  }
  if (isHeld(useOf(folder, name))) return stays('in use')
  if (!(await lstatOrAbsent(join(home, 'manifest.json')))) return goes('a workspace that was never finished')
  try {
    const { id, shrunk } = await readManifest(join(home, 'manifest.json'), name)
    if (!(await hasLog(id))) return goes('there is no log of its agent')
    const workspace = await openWorkspace({ project, folder, id })
    const changes = await workspace.changes()
    if (changes.length === 0) return goes('nothing was changed in it')
    if (shrunk)
      return stays(
        `proposes changes to ${changes.length} file${changes.length === 1 ? '' : 's'}; accept or reject them`,
      )
    const reason = 'only what was changed in it is needed'
    const remove = async () => {
      await workspace.shrink()
    }
    return { reason, bytes: await sizeOf(join(home, 'files')), remove }
  } catch (thrown) {
    if (thrown instanceof TwotrackError) return stays(`${messageOf(thrown)} Delete ${home} yourself.`)
    throw thrown
  }
}

/** Bytes of all files below a folder. */
async function sizeOf(folder: string): Promise<number> {
  let sum = 0
  for (const file of await filesBelow(folder)) sum += (await lstatOrAbsent(file))?.size ?? 0
  return sum
}
