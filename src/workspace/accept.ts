import { mkdir, readlink, realpath, rename, rm, rmdir, stat, symlink } from 'node:fs/promises'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { TwotrackError } from '../errors.ts'
import { isWithin, lstatOrAbsent } from '../files/confine.ts'
import { syncFolder } from '../files/disk.ts'
import { readRegular, stage } from '../files/files.ts'
import { sha256 } from '../sha256.ts'
import { conflictOf, type Difference, projectFile } from './changes.ts'

export interface Conflict {
  readonly path: string
  readonly reason: string
}

export interface Accepted {
  readonly accepted: readonly Difference[]
  readonly conflicts: readonly Conflict[]
}

interface Places {
  readonly root: string
  readonly project: string
  readonly id: string
}

/**
 * Brings differences into the project. All are checked first, then every new content is put on disk beside its
 * target, then each file is renamed into place: a file is the old one or the new one, never half. Without
 * `partial` a single conflict stops everything before anything changed. A crash midway leaves some files new;
 * accepting again completes it, since a file that is already the new one is no conflict.
 */
export async function acceptInto(
  places: Places,
  differences: readonly Difference[],
  partial: boolean,
): Promise<Accepted> {
  const conflicts: Conflict[] = []
  const free: Difference[] = []
  for (const one of differences) {
    const reason = (await conflictOf(places.project, one)) ?? (await escapes(places, one))
    if (reason === undefined) free.push(one)
    else conflicts.push({ path: one.path, reason })
  }
  if (conflicts.length > 0 && !partial) return { accepted: [], conflicts }
  const staged = new Map<string, string>()
  const accepted: Difference[] = []
  try {
    for (const one of free) if (one.after) staged.set(one.path, await stageOne(places, one))
    for (const one of inOrder(free)) {
      // Checked again at the last moment: staging takes time, and people save files.
      const reason =
        (await conflictOf(places.project, one)) ?? (await bringIn(places, one, staged.get(one.path)))
      if (reason === undefined) accepted.push(one)
      else conflicts.push({ path: one.path, reason })
    }
  } finally {
    for (const file of staged.values()) await rm(file, { force: true })
  }
  await syncFolders(places.project, accepted)
  return { accepted, conflicts }
}

/** Removals that make room for a new file or folder come first, all others last. */
function inOrder(differences: readonly Difference[]): Difference[] {
  const written = differences.filter(({ after }) => after).map(({ path }) => path)
  const inTheWay = ({ path }: Difference) =>
    written.some((other) => other.startsWith(`${path}/`) || path.startsWith(`${other}/`))
  const removals = differences.filter(({ after }) => !after)
  return [
    ...removals.filter(inTheWay),
    ...differences.filter(({ after }) => after),
    ...removals.filter((one) => !inTheWay(one)),
  ]
}

async function escapes({ root, project }: Places, { path, after }: Difference): Promise<string | undefined> {
  if (after?.kind !== 'link') return undefined
  const target = await readlink(join(root, path))
  const leads = resolve(project, dirname(path), target)
  // Where it leads on disk can differ from what its text says, if it goes through other links, here or there.
  const here = await realpath(join(root, path)).catch(() => root)
  const there = await realpath(leads).catch(() => project)
  const stays =
    !isAbsolute(target) && isWithin(project, leads) && isWithin(root, here) && isWithin(project, there)
  return stays ? undefined : 'it is a link that leads out of the project'
}

/** The new content in the nearest folder that exists, under a name that the same acceptance uses again. */
async function stageOne({ root, project, id }: Places, { path, after }: Difference): Promise<string> {
  const source = join(root, path)
  const name = `.twotrack-${sha256(`${id}\n${path}`).slice(0, 24)}.tmp`
  const file = join(await existingFolder(project, path), name)
  await rm(file, { force: true })
  if (after?.kind === 'link') {
    await symlink(await readlink(source), file)
    return file
  }
  const content = await readRegular(source, path)
  if (sha256(content) !== after?.sha256) {
    throw new TwotrackError(
      'conflict',
      `"${path}" is being written in the workspace; nothing was accepted. Try again when its agent has stopped.`,
    )
  }
  await stage(file, content, await modeFor(project, path, source))
  return file
}

/** The project's own mode, with the executable bit that the workspace's file has. */
async function modeFor(project: string, path: string, source: string): Promise<number> {
  const wanted = (await stat(source)).mode & 0o777
  const existing = await lstatOrAbsent(await projectFile(project, path))
  if (!existing?.isFile()) return wanted
  const mode = existing.mode & 0o7777
  return ((mode & 0o111) !== 0) === ((wanted & 0o111) !== 0) ? mode : (mode & ~0o111) | (wanted & 0o111)
}

async function existingFolder(project: string, path: string): Promise<string> {
  let folder = dirname(await projectFile(project, path))
  while (!(await lstatOrAbsent(folder))?.isDirectory()) folder = dirname(folder)
  return folder
}

/** The one step that changes the project. Gives the reason where it can't be taken. */
async function bringIn(
  { root, project }: Places,
  { path }: Difference,
  staged: string | undefined,
): Promise<string | undefined> {
  const target = await projectFile(project, path)
  if (staged !== undefined) {
    const inItsPlace = await lstatOrAbsent(target)
    if (inItsPlace?.isDirectory() && !(await removeEmpty(target)))
      return 'the project has a folder of that name'
    await mkdir(dirname(target), { recursive: true })
    await rename(staged, target)
    return undefined
  }
  await rm(target, { force: true })
  // A folder goes with its last file, if it is gone from the workspace too.
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    if ((await lstatOrAbsent(join(root, folder)))?.isDirectory()) break
    if (!(await removeEmpty(join(project, folder)))) break
  }
  return undefined
}

const removeEmpty = (folder: string): Promise<boolean> =>
  rmdir(folder).then(
    () => true,
    () => false,
  )

/** The renames themselves are on disk once their folders are. */
async function syncFolders(project: string, accepted: readonly Difference[]): Promise<void> {
  for (const folder of new Set(accepted.map(({ path }) => dirname(path)))) {
    await syncFolder(join(project, folder)).catch(() => {}) // it may be gone with its last file
  }
}
