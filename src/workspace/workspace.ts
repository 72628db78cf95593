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
import { copyProject } from './copy.ts'
import { type Manifest, readManifest } from './manifest.ts'

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
  /** Absolute; what tools and commands run in. */
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
  /** Removes the workspace. The project is not touched. Discarding twice is fine. */
  discard(): Promise<void>
}

/**
 * Copies the project. Throws `conflict` if the workspace exists: open it, or discard it. `link` names top
 * folders (`node_modules`, `.venv`) that commands need and that are linked instead of copied.
 */
export async function createWorkspace(
  options: WorkspacePlace & { readonly link?: readonly string[] },
): Promise<Workspace> {
  const { project, id, link = [] } = options
  const home = homeOf(options)
  if (await lstatOrAbsent(home)) {
    throw new TwotrackError(
      'conflict',
      `There is a workspace "${id}" already. Open it to go on with it, or discard it to begin again.`,
    )
  }
  for (const path of link) if (segmentsOf(path).length !== 1) throw badLink(path)
  // Made under another name and renamed at the end: a workspace that exists is complete.
  const making = `${home}~making`
  await rm(making, { recursive: true, force: true })
  await mkdir(join(making, 'files'), { recursive: true })
  const leaveOut = await ownFolders(options)
  const manifest = await copyProject(resolve(project), join(making, 'files'), { id, link, leaveOut })
  await stage(join(making, 'manifest.json'), Buffer.from(JSON.stringify(manifest)), 0o666)
  await rename(making, home)
  return workspaceAt(options, manifest)
}

/** Opens a workspace that was made before. Throws `missing`. */
export async function openWorkspace(place: WorkspacePlace): Promise<Workspace> {
  return workspaceAt(place, await readManifest(join(homeOf(place), 'manifest.json'), place.id))
}

async function workspaceAt(place: WorkspacePlace, manifest: Manifest): Promise<Workspace> {
  const home = homeOf(place)
  const root = await realpath(join(home, 'files'))
  const project = await realpath(place.project)
  let base = manifest
  return {
    id: place.id,
    root,
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
      const differences = await compare(root, base)
      return atOnce(differences, WORKSPACE_FILES_AT_ONCE, (one) => describe(root, project, one))
    },
    async accept({ paths, partial = false } = {}) {
      const all = await compare(root, base)
      const wanted = paths ? chosen(all, paths) : all
      const { accepted, conflicts } = await acceptInto({ root, project, id: place.id }, wanted, partial)
      base = rebased(base, accepted)
      await saveManifest(home, base)
      return { accepted: accepted.map(({ path }) => path), conflicts }
    },
    discard: () => rm(home, { recursive: true, force: true }),
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
