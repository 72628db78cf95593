import { realpath, rename, rm, rmdir, stat, symlink } from 'node:fs/promises'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { isWithin, lstatOrAbsent } from '../files/confine.ts'
import { syncFolder } from '../files/disk.ts'
import { stage } from '../files/files.ts'
import { atFile } from '../files/held.ts'
import { sha256 } from '../sha256.ts'
import type { Side } from './diff.ts'
import { isSameSide, type Merged, sideAt } from './merged.ts'

interface Conflict {
  readonly path: string
  readonly reason: string
}

/** A file that a person takes: of a part, the changed places that are taken and what stays proposed. */
export interface Taking extends Merged {
  readonly places?: readonly number[]
  readonly left?: Side
}

export interface Accepted {
  readonly accepted: readonly Taking[]
  readonly conflicts: readonly Conflict[]
}

interface Places {
  readonly project: string
  readonly id: string
}

/**
 * Brings merged files into the project. All are checked first, then every new content is put on disk beside its
 * target, then each file is renamed into place: a file is the old one or the new one, never half. Without
 * `partial` a single conflict stops everything before anything changed. A crash midway leaves some files new;
 * accepting again completes it, since a file that is already the new one is no conflict.
 */
export async function acceptInto(
  places: Places,
  wanted: readonly Taking[],
  partial: boolean,
): Promise<Accepted> {
  const conflicts: Conflict[] = []
  const free: Taking[] = []
  for (const one of wanted) {
    const reason = one.conflict ?? (await escapes(places, one))
    if (reason === undefined) free.push(one)
    else conflicts.push({ path: one.path, reason })
  }
  if (conflicts.length > 0 && !partial) return { accepted: [], conflicts }
  const staged = new Map<string, string>()
  const accepted: Taking[] = []
  try {
    for (const one of free) if (one.next) staged.set(one.path, await stageOne(places, one, one.next))
    for (const one of inOrder(free)) {
      // Looked at again at the last moment: all this takes time, and people save files.
      const reason = (await movedOn(places, one)) ?? (await bringIn(places, one, staged.get(one.path)))
      if (reason === undefined) accepted.push(one)
      else conflicts.push({ path: one.path, reason })
    }
  } finally {
    for (const one of staged.values())
      await atFile(places.project, one, (file) => rm(file, { force: true })).catch(() => {})
  }
  await syncFolders(places.project, accepted)
  return { accepted, conflicts }
}

async function movedOn({ project }: Places, { path, now, next }: Merged): Promise<string | undefined> {
  const found = await sideAt(project, path)
  return isSameSide(found, now) || isSameSide(found, next)
    ? undefined
    : 'it changed in the project at this moment'
}

/** Removals that make room for a new file or folder come first, all others last. */
function inOrder(files: readonly Taking[]): Taking[] {
  const written = files.filter(({ next }) => next).map(({ path }) => path)
  const inTheWay = ({ path }: Taking) =>
    written.some((other) => other.startsWith(`${path}/`) || path.startsWith(`${other}/`))
  const removals = files.filter(({ next }) => !next)
  return [
    ...removals.filter(inTheWay),
    ...files.filter(({ next }) => next),
    ...removals.filter((one) => !inTheWay(one)),
  ]
}

async function escapes({ project }: Places, { path, next }: Merged): Promise<string | undefined> {
  if (next?.mode !== '120000') return undefined
  const target = Buffer.from(next.content).toString()
  const top = await realpath(project)
  const folder = join(top, dirname(path))
  const leads = resolve(await realpath(folder).catch(() => folder), target)
  // Where it leads on disk can differ from what its text says, if it goes through other links.
  const there = await realpath(leads).catch(() => leads)
  // Up after down could go through a link that comes with this one.
  const names = target.split('/').filter((name) => name !== '' && name !== '.')
  const down = names.findIndex((name) => name !== '..')
  const isPlain = !isAbsolute(target) && (down === -1 || !names.slice(down).includes('..'))
  return isPlain && isWithin(top, leads) && isWithin(top, there)
    ? undefined
    : 'it is a link that leads out of the project'
}

/**
 * The new content in the nearest folder that exists, under a name that the same acceptance uses again. Gives its path in
 * the project.
 */
async function stageOne({ project, id }: Places, { path }: Merged, next: Side): Promise<string> {
  const name = `.twotrack-${sha256(`${id}\n${path}`).slice(0, 24)}.tmp`
  const staged = join(await existingFolder(project, path), name)
  const mode = await modeFor(project, path, next)
  await atFile(project, staged, async (file) => {
    await rm(file, { force: true })
    if (next.mode === '120000') await symlink(Buffer.from(next.content).toString(), file)
    else await stage(file, next.content, mode)
  })
  return staged
}

/** The project's own mode, with the executable bit as it is to be. */
async function modeFor(project: string, path: string, { mode }: Side): Promise<number> {
  const isExecutable = mode === '100755'
  const existing = await atFile(project, path, lstatOrAbsent)
  const own = existing?.isFile() ? existing.mode & 0o7777 : 0o644
  if (((own & 0o111) !== 0) === isExecutable) return own
  return isExecutable ? own | ((own & 0o444) >> 2) : own & ~0o111
}

async function existingFolder(project: string, path: string): Promise<string> {
  let folder = dirname(path)
  const isFolder = async () =>
    (await atFile(project, folder, (file) => stat(file).catch(() => undefined)))?.isDirectory()
  while (folder !== '.' && !(await isFolder())) folder = dirname(folder)
  return folder
}

/** The one step that changes the project. Gives the reason where it can't be taken. */
async function bringIn(
  { project }: Places,
  { path }: Merged,
  staged: string | undefined,
): Promise<string | undefined> {
  if (staged !== undefined) {
    const put = async (target: string) => {
      if ((await lstatOrAbsent(target))?.isDirectory() && !(await removeEmpty(target)))
        return 'the project has a folder of that name'
      await atFile(project, staged, (file) => rename(file, target))
      return undefined
    }
    return atFile(project, path, put, { make: true })
  }
  await atFile(project, path, (file) => rm(file, { force: true }))
  // A folder goes with its last file.
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder))
    if (!(await atFile(project, folder, removeEmpty))) break
  return undefined
}

const removeEmpty = (folder: string): Promise<boolean> =>
  rmdir(folder).then(
    () => true,
    () => false,
  )

/** The renames themselves are on disk once their folders are. */
async function syncFolders(project: string, accepted: readonly Merged[]): Promise<void> {
  for (const folder of new Set(accepted.map(({ path }) => dirname(path)))) {
    await syncFolder(join(project, folder)).catch(() => {}) // it may be gone with its last file
  }
}
