import { constants, existsSync } from 'node:fs'
import { copyFile, mkdir, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { encodeId } from '../core/store/encode-id.ts'
import { TwotrackError } from '../errors.ts'
import { lstatOrAbsent, segmentsOf } from '../files/confine.ts'
import { makeFolder, replaceFile } from '../files/disk.ts'
import { type Held, holdFile } from '../files/lock.ts'
import { byPath } from '../files/walk.ts'
import type { FileDifference } from './changes.ts'
import type { Copies } from './copies.ts'
import { type Copy, ownFolders, updateCopy } from './copy.ts'
import type { Side } from './diff.ts'
import { type Entry, findManifest, type Manifest } from './manifest.ts'

export interface WorkspaceOptions {
  /** The project's top folder. */
  readonly project: string
  /** Where Twotrack keeps its records; workspaces are under `workspaces/` in it. */
  readonly folder: string
  /** Usually the agent's id. */
  readonly id: string
  /** Top folders (`node_modules`, `.venv`) that commands need and that are linked instead of copied. */
  readonly link?: readonly string[]
  /**
   * What it changes is proposed after each call that may have changed something, before the result is recorded. So the log
   * has it, any machine can go on with the agent, and what is left on this one's disk does not count.
   */
  readonly portable?: boolean
  /** Copies to be used again by other agents of the same run. @internal */
  readonly copies?: Copies
}

export type WorkspacePlace = Pick<WorkspaceOptions, 'project' | 'folder' | 'id'>

/** A workspace on disk. */
export interface Made {
  readonly manifest: Manifest
  /** Whether the manifest is on disk: a new workspace has nothing there. */
  readonly isSaved?: boolean
  /** While it is in use, so that nobody cleans it up. */
  readonly held?: Held | undefined
  /** What is known of its copy, where this process made it. */
  readonly copy?: Copy
}

/** A change to begin with: the file as it was before, and as it is to be. */
export interface BegunFile {
  readonly path: string
  readonly before?: Entry
  readonly after?: Side
}

/**
 * The workspace that a process left which was killed, or a new one: nothing is on disk before the first change, and it
 * holds changed files alone. With `begun` it is always a new one that has these changes.
 */
export async function makeLayer(options: WorkspaceOptions, begun?: readonly BegunFile[]): Promise<Made> {
  const { id } = options
  const home = homeOf(options)
  return inUse(options, async () => {
    const manifest = begun ? undefined : findManifest(join(home, 'manifest.json'), id)
    if (manifest) return { manifest, isSaved: true }
    if (existsSync(home)) await rm(home, { recursive: true, force: true })
    const files = (begun ?? []).flatMap(({ before }) => before ?? [])
    const fresh: Manifest = { v: 1, id, layer: true, linked: [], ignore_files: [], skipped: [], files }
    if (!begun || begun.length === 0) return { manifest: fresh }
    await mkdir(join(home, 'changed'), { recursive: true })
    for (const { path, after } of begun) if (after) await putSide(join(home, 'changed', path), after)
    await saveManifest(home, fresh)
    return { manifest: fresh, isSaved: true }
  })
}

export async function putSide(file: string, { content, mode }: Side): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  if (mode === '120000') await symlink(Buffer.from(content).toString(), file)
  else await writeFile(file, content, { mode: mode === '100755' ? 0o755 : 0o644 })
}

/** A complete copy of the project with the changes of a workspace that holds these alone. */
export async function makeComplete(
  options: WorkspaceOptions,
  changes: readonly FileDifference[],
): Promise<{ readonly manifest: Manifest; readonly copy: Copy }> {
  const home = homeOf(options)
  await mkdir(home, { recursive: true })
  const { copy, manifest: fresh } = await copyOf(options, join(home, 'files'))
  const changed = join(home, 'changed')
  const manifest = await putBack(changes, changed, copy.root, fresh)
  await saveManifest(home, manifest)
  await rm(changed, { recursive: true, force: true })
  return { manifest, copy }
}

async function inUse(place: WorkspacePlace, make: () => Promise<Made>): Promise<Made> {
  const file = useOf(place.folder, encodeId(place.id))
  makeFolder(dirname(file))
  const held = holdFile(file)
  try {
    return { ...(await make()), held }
  } catch (thrown) {
    held?.release()
    throw thrown
  }
}

async function copyOf(options: WorkspaceOptions, root: string): Promise<{ copy: Copy; manifest: Manifest }> {
  const { id, link = [], copies } = options
  for (const path of link) if (segmentsOf(path).length !== 1) throw badLink(path)
  await rm(root, { recursive: true, force: true })
  if (!copies) await mkdir(root)
  const copy = (await copies?.take(root)) ?? { root, files: new Map() }
  try {
    const leaveOut = await ownFolders(options)
    const manifest = await updateCopy(copy, resolve(options.project), { id, link, leaveOut })
    await copies?.complete(copy, manifest)
    return { copy, manifest }
  } catch (thrown) {
    await copies?.drop(copy)
    throw thrown
  }
}

export const homeOf = ({ folder, id }: WorkspacePlace): string =>
  join(resolve(folder), 'workspaces', encodeId(id))

/** The file that is held while a workspace is in use, by the name of its folder. */
export const useOf = (folder: string, name: string): string => join(resolve(folder), 'in-use', name)

export const saveManifest = (home: string, manifest: Manifest): Promise<void> =>
  replaceFile(join(home, 'manifest.json'), Buffer.from(JSON.stringify(manifest)), true)

const badLink = (path: string): TwotrackError =>
  new TwotrackError('bad_argument', `link takes names of folders at the project's top; received "${path}".`)

/** Brings changed files into a complete copy; gives its manifest, with the changes as changes. */
async function putBack(
  differences: readonly FileDifference[],
  from: string,
  to: string,
  manifest: Manifest,
): Promise<Manifest> {
  const files = new Map(manifest.files.map((entry) => [entry.path, entry]))
  for (const { path, before } of differences) {
    await rm(join(to, path), { recursive: true, force: true })
    if (before) files.set(path, before)
    else files.delete(path)
  }
  for (const { path, after } of differences) if (after) await copyChanged(join(from, path), join(to, path))
  return { ...manifest, files: [...files.values()].sort(byPath) }
}

async function copyChanged(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true })
  const stats = await lstatOrAbsent(from)
  if (stats?.isSymbolicLink()) await symlink(await readlink(from), to)
  else await copyFile(from, to, constants.COPYFILE_FICLONE)
}
