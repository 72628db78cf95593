import { mkdir, realpath, rename, rm } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve } from 'node:path'
import { TwotrackError } from '../errors.ts'
import { lstatOrAbsent, segmentsOf } from '../files/confine.ts'
import { type FolderEntry, listInside, readInside, removeInside, stage, writeInside } from '../files/files.ts'
import { IgnoreRules } from '../files/ignore.ts'
import { type Skipped, walk } from '../files/walk.ts'
import { WORKSPACE_FILES_AT_ONCE } from '../limits.ts'
import { encodeId } from '../store/encode-id.ts'
import { acceptInto, type Conflict } from './accept.ts'
import { atOnce } from './at-once.ts'
import { type Change, compare, type Difference, describe } from './changes.ts'
import type { Copies } from './copies.ts'
import { type Copy, updateCopy } from './copy.ts'
import { type Manifest, readManifest } from './manifest.ts'
import { keepOnly, putBack } from './shrink.ts'

export interface WorkspacePlace {
  /** The project's top folder. */
  readonly project: string
  /** Where Twotrack keeps its records; workspaces are under `workspaces/` in it. */
  readonly folder: string
  /** Usually the agent's id. */
  readonly id: string
}

export interface AcceptReport {
  readonly accepted: readonly string[]
  readonly conflicts: readonly Conflict[]
}

/**
 * An agent's own copy of a project. Paths are relative to its top and separated by `/`; one that could lead out
 * throws `outside_workspace`. Nothing reaches the project but through `accept`.
 */
export interface Workspace {
  readonly id: string
  /** Absolute; what tools and commands run in. Once it is shrunk, another folder with only what changed. */
  readonly root: string
  /** What was not copied though no rule leaves it out, and why. */
  readonly skipped: readonly Skipped[]
  /** Every file, sorted, without what is left out. */
  files(): Promise<string[]>
  read(path: string): Promise<Uint8Array>
  write(path: string, content: string | Uint8Array): Promise<void>
  list(path?: string): Promise<FolderEntry[]>
  remove(path: string): Promise<void>
  /** What differs from the copied project, with a diff and with conflicts marked. */
  changes(): Promise<Change[]>
  /** Takes changes into the project: all of them, or those of the given paths. All or nothing, unless `partial`. */
  accept(options?: { paths?: readonly string[]; partial?: boolean }): Promise<AcceptReport>
  /** Keeps what changed and removes the rest; a workspace without changes is discarded. To be called when work ends. */
  shrink(): Promise<void>
  /** Removes the workspace. The project is not touched. Discarding twice is fine. */
  discard(): Promise<void>
}

export interface WorkspaceOptions extends WorkspacePlace {
  /** Top folders (`node_modules`, `.venv`) that commands need and that are linked instead of copied. */
  readonly link?: readonly string[]
  /** Copies to be used again by other agents of the same run. */
  readonly copies?: Copies
}

/** Copies the project. Throws `conflict` if the workspace exists: open it, or discard it. */
export async function createWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const { id } = options
  const home = homeOf(options)
  if (await lstatOrAbsent(home)) {
    throw new TwotrackError(
      'conflict',
      `There is a workspace "${id}" already. Open it to go on with it, or discard it to begin again.`,
    )
  }
  // Made under another name and renamed at the end: a workspace that exists is complete.
  const making = `${home}~making`
  await rm(making, { recursive: true, force: true })
  await mkdir(making, { recursive: true })
  const { copy, manifest } = await copyOf(options, join(making, 'files'))
  await saveManifest(making, manifest)
  await rename(making, home)
  copy.root = join(home, 'files')
  return workspaceAt(options, manifest, copy)
}

/** Opens a workspace that was made before. Throws `missing`. */
export async function openWorkspace(place: WorkspacePlace): Promise<Workspace> {
  return workspaceAt(place, await readManifest(join(homeOf(place), 'manifest.json'), place.id))
}

/** A complete workspace to work in: the one there is, with its changes, or a new one. */
export async function workspaceFor(options: WorkspaceOptions): Promise<Workspace> {
  const home = homeOf(options)
  const manifest = await readManifest(join(home, 'manifest.json'), options.id).catch((thrown: unknown) => {
    if (thrown instanceof TwotrackError && thrown.code === 'missing') return undefined
    throw thrown
  })
  if (!manifest) return createWorkspace(options)
  if (!manifest.shrunk) return workspaceAt(options, manifest)
  const { copy, manifest: fresh } = await copyOf(options, join(home, 'files'))
  const changed = join(home, 'changed')
  const complete = await putBack(await compare(changed, manifest), changed, copy.root, fresh)
  await saveManifest(home, complete)
  await rm(changed, { recursive: true })
  return workspaceAt(options, complete, copy)
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
    await copies?.complete(copy)
    return { copy, manifest }
  } catch (thrown) {
    await copies?.drop(copy)
    throw thrown
  }
}

async function workspaceAt(
  place: WorkspaceOptions,
  manifest: Manifest,
  copy: Copy | undefined = undefined,
): Promise<Workspace> {
  const home = homeOf(place)
  const project = await realpath(place.project)
  const rootOf = ({ shrunk }: Manifest) => realpath(join(home, shrunk ? 'changed' : 'files'))
  let base = manifest
  let root = await rootOf(base)
  const differences = () => compare(root, base, base.shrunk ? undefined : copy?.files)
  const discard = () => rm(home, { recursive: true, force: true })
  const giveBack = async () => {
    if (copy && place.copies) await place.copies.give(copy)
    else await rm(root, { recursive: true, force: true })
  }
  return {
    id: place.id,
    get root() {
      return root
    },
    skipped: manifest.skipped,
    async files() {
      const { found } = await walk(root, IgnoreRules.from(base.ignore_files, base.linked))
      return found.map(({ path }) => path)
    },
    read: (path) => readInside(root, path),
    write: (path, content) => writeInside(root, path, content),
    list: (path = '.') => listInside(root, path),
    remove: (path) => removeInside(root, path),
    async changes() {
      return atOnce(await differences(), WORKSPACE_FILES_AT_ONCE, (one) => describe(root, project, one))
    },
    async accept({ paths, partial = false } = {}) {
      const all = await differences()
      const wanted = paths ? chosen(all, paths) : all
      const { accepted, conflicts } = await acceptInto({ root, project, id: place.id }, wanted, partial)
      base = rebased(base, accepted)
      await saveManifest(home, base)
      return { accepted: accepted.map(({ path }) => path), conflicts }
    },
    async shrink() {
      if (base.shrunk) return
      try {
        const changed = await differences()
        const left = changed.length > 0 && (await keepOnly(changed, root, join(home, 'changed'), base))
        if (left) await saveManifest(home, left)
        await giveBack()
        if (!left) return discard()
        base = left
        root = await rootOf(base)
      } catch (thrown) {
        if (copy) place.copies?.forget()
        throw thrown
      }
    },
    discard,
  }
}

const homeOf = ({ folder, id }: WorkspacePlace): string => join(resolve(folder), 'workspaces', encodeId(id))

/** Where Twotrack's records are inside the project under another name than `.agentfs`, they are not copied. */
async function ownFolders({ project, folder }: WorkspacePlace): Promise<string[]> {
  const path = relative(await realpath(project), await realpath(folder))
  return path === '' || path.startsWith('..') || isAbsolute(path) ? [] : [path.replaceAll('\\', '/')]
}

function chosen(differences: readonly Difference[], paths: readonly string[]): Difference[] {
  const wanted = new Set(paths.map((path) => segmentsOf(path).join('/')))
  const known = new Set(differences.map(({ path }) => path))
  const unknown = [...wanted].filter((path) => !known.has(path))
  if (unknown.length > 0) {
    throw new TwotrackError(
      'missing',
      `No change in this workspace is at: ${unknown.slice(0, 5).join(', ')}. List the changes to see their paths.`,
    )
  }
  return differences.filter(({ path }) => wanted.has(path))
}

/** What was accepted is what the project holds now: later changes are measured against it. */
function rebased(manifest: Manifest, accepted: readonly Difference[]): Manifest {
  const files = new Map(manifest.files.map((entry) => [entry.path, entry]))
  for (const { path, after } of accepted) {
    if (after) files.set(path, after)
    else files.delete(path)
  }
  return { ...manifest, files: [...files.values()].sort((one, other) => (one.path < other.path ? -1 : 1)) }
}

async function saveManifest(home: string, manifest: Manifest): Promise<void> {
  const staged = join(home, 'manifest.json.tmp')
  await rm(staged, { force: true })
  await stage(staged, Buffer.from(JSON.stringify(manifest)), 0o666)
  await rename(staged, join(home, 'manifest.json'))
}

const badLink = (path: string): TwotrackError =>
  new TwotrackError('bad_argument', `link takes names of folders at the project's top; received "${path}".`)
