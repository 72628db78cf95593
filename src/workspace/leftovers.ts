import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf, TwotrackError } from '../errors.ts'
import { lstatOrAbsent } from '../files/confine.ts'
import { filesBelow, namesIn } from '../files/disk.ts'
import { isHeld } from '../files/lock.ts'
import { copiesIn } from './copies.ts'
import { useOf } from './make.ts'
import { readManifest } from './manifest.ts'

export interface Leftover {
  readonly name: string
  /** Why it can go, or why it stays. */
  readonly reason: string
  /** What removing gives back. */
  readonly bytes: number
  /** Removes it; not there when it has to stay. */
  readonly remove?: () => Promise<unknown>
}

/** Where there is a log of an agent: records what its workspace changed, and removes that. */
export type SettlerOf = (agent_id: string) => Promise<(() => Promise<unknown>) | undefined>

/** What processes left under `folder` that were killed. Nothing that one uses is removed, and nothing that was changed is lost. */
export async function leftoversIn(
  { folder }: { readonly folder: string },
  settlerOf: SettlerOf,
): Promise<Leftover[]> {
  const found: Leftover[] = []
  for (const { name, path, remove } of await copiesIn(folder))
    found.push({ name, reason: 'a copy of the project that a run left', bytes: await sizeOf(path), remove })
  const workspaces = join(folder, 'workspaces')
  for (const name of await namesIn(workspaces))
    found.push({ name, ...(await classify(folder, join(workspaces, name), name, settlerOf)) })
  return found
}

async function classify(
  folder: string,
  home: string,
  name: string,
  settlerOf: SettlerOf,
): Promise<Omit<Leftover, 'name'>> {
  const stays = (reason: string) => ({ reason, bytes: 0 })
  const goes = async (reason: string, remove = () => rm(home, { recursive: true, force: true })) => {
    return { reason, bytes: await sizeOf(home), remove }
  }
  if (isHeld(useOf(folder, name))) return stays('in use')
  if (!(await lstatOrAbsent(join(home, 'manifest.json')))) return goes('a workspace that was never finished')
  try {
    const { id } = await readManifest(join(home, 'manifest.json'), name)
    const settle = await settlerOf(id)
    if (!settle) return goes('there is no log of its agent')
    return goes('its agent was killed; what was changed in it goes into the log', async () => {
      await settle()
    })
  } catch (thrown) {
    if (thrown instanceof TwotrackError) return stays(`${messageOf(thrown)} Delete ${home} yourself.`)
    throw thrown
  }
}

async function sizeOf(folder: string): Promise<number> {
  let sum = 0
  for (const file of await filesBelow(folder)) sum += (await lstatOrAbsent(file))?.size ?? 0
  return sum
}
