import { existsSync, mkdirSync, realpathSync } from 'node:fs'
import { chmod, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { TwotrackError } from '../errors.ts'
import { inside, lstatOrAbsent, segmentsOf } from '../files/confine.ts'
import { type FolderEntry, listInside, readInside, removeInside, writeInside } from '../files/files.ts'
import { IgnoreRules } from '../files/ignore.ts'
import { byPath, type Skipped, walk } from '../files/walk.ts'
import { WORKSPACE_FILES_AT_ONCE } from '../limits.ts'
import { acceptInto, type Conflict, type Taking } from './accept.ts'
import { atOnce } from './at-once.ts'
import { compare, type Difference } from './changes.ts'
import { layerOf } from './layer.ts'
import {
  homeOf,
  keepOnly,
  type Made,
  makeComplete,
  makeLayer,
  saveManifest,
  type WorkspaceOptions,
  type WorkspacePlace,
} from './make.ts'
import { type Entry, type Manifest, readManifest } from './manifest.ts'
import {
  type Change,
  changeOf,
  entryOf,
  isSameSide,
  type Merged,
  mergedOf,
  sideAt,
  type Taken,
} from './merged.ts'
import { keepOriginal, keepOriginals } from './originals.ts'

export interface AcceptReport {
  readonly accepted: readonly string[]
  readonly conflicts: readonly Conflict[]
}

interface AcceptOptions {
  readonly paths?: readonly string[]
  readonly partial?: boolean
  /** From `merged()`, with another `next` where a person changed it. */
  readonly files?: readonly Taking[]
}

/**
 * An agent's own copy of a project. Paths are relative to its top and separated by `/`; one that could lead out
 * throws `outside_workspace`. Nothing reaches the project but through `accept`.
 */
export interface Workspace {
  readonly id: string
  /** Absolute; what commands run in once it is complete. Before, and once it is shrunk, a folder with only what changed. */
  readonly root: string
  /** What was not copied though no rule leaves it out, and why. */
  readonly skipped: readonly Skipped[]
  /** Makes it complete: a copy of the whole project, with what was changed so far. Gives its root. */
  complete(): Promise<string>
  /** Every file, sorted, without what is left out. */
  files(): Promise<string[]>
  /** A file that was not changed is read from the project. */
  read(path: string): Promise<Buffer>
  write(path: string, content: string | Uint8Array): Promise<void>
  list(path?: string): Promise<FolderEntry[]>
  remove(path: string): Promise<void>
  /** What differs from the copied project, with a diff and with conflicts marked. */
  changes(): Promise<Change[]>
  /** What becomes of each file if it is taken, merged with what changed in the project. `taken` counts instead of that. */
  merged(taken?: Taken): Promise<Merged[]>
  /**
   * Takes changes into the project: all of them, those of the given paths, or what a person made of them. All or
   * nothing, unless `partial`.
   */
  accept(options?: AcceptOptions): Promise<AcceptReport>
  /** Proposes the changes of these paths no longer. */
  drop(paths: readonly string[]): Promise<void>
  /**
   * Gives the changes, keeps them and removes the rest; a workspace without any is discarded. To be called when work
   * ends.
   */
  shrink(): Promise<Change[]>
  /** Removes the workspace. The project is not touched. Discarding twice is fine. */
  discard(): Promise<void>
}

/** Copies the project. Throws `conflict` if the workspace exists: open it, or discard it. */
export async function createWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  if (await lstatOrAbsent(join(homeOf(options), 'manifest.json'))) {
    throw new TwotrackError(
      'conflict',
      `There is a workspace "${options.id}" already. Open it to go on with it, or discard it to begin again.`,
    )
  }
  const workspace = await workspaceFor(options)
  try {
    await workspace.complete()
    return workspace
  } catch (thrown) {
    await workspace.discard()
    throw thrown
  }
}

/** Opens a workspace that was made before. Throws `missing`. */
export async function openWorkspace(place: WorkspacePlace): Promise<Workspace> {
  const manifest = await readManifest(join(homeOf(place), 'manifest.json'), place.id)
  return workspaceAt(place, { manifest })
}

/** A workspace to work in: the one there is, with its changes, or a new one. It costs what is changed in it. */
export async function workspaceFor(options: WorkspaceOptions): Promise<Workspace> {
  return workspaceAt(options, await makeLayer(options))
}

async function workspaceAt(place: WorkspaceOptions, made: Made): Promise<Workspace> {
  const { held } = made
  const home = homeOf(place)
  const project = realpathSync.native(place.project)
  const rootOf = ({ shrunk }: Manifest) => {
    const at = join(home, shrunk ? 'changed' : 'files')
    return existsSync(at) ? realpathSync.native(at) : at
  }
  let { manifest: base, copy } = made
  let root = rootOf(base)
  let isSaved = made.isSaved ?? false
  const layer = layerOf(project, place)
  const differences = async () =>
    base.shrunk && !(await lstatOrAbsent(root))
      ? []
      : compare(root, base, base.shrunk ? undefined : copy?.files)
  const complete = async () => {
    if (!base.shrunk) return root
    ;({ manifest: base, copy } = await makeComplete(place, await differences()))
    root = rootOf(base)
    return root
  }
  /** One that is only looked at later stays as it is. */
  const atWork = async () => (held ? complete() : root)
  const write = async (path: string, content: string | Uint8Array) => {
    if (!base.shrunk) return writeInside(root, path, content)
    mkdirSync(root, { recursive: true })
    const before = await layer.before(base, path)
    await writeInside(root, path, content)
    if (before?.executable) await chmod(await inside(root, path), 0o755)
    // Only now: a kill in between leaves no workspace yet, or an added file, which is a conflict, and never a removed one.
    const next = layer.withBefore(base, before)
    if (next !== base || !isSaved) await saveManifest(home, next)
    base = next
    isSaved = true
  }
  const merged = (all: readonly Difference[], taken?: Taken) =>
    atOnce(all, WORKSPACE_FILES_AT_ONCE, (one) => mergedOf({ root, project, home, id: place.id }, one, taken))
  /** The workspace goes on from what the project has now. */
  const follow = async ({ path, next, left = next }: Taking) => {
    if (!next || !left || next.mode === '120000') return
    if (left !== next) await keepOriginal(home, path, next.content)
    const found = await sideAt(root, path)
    if (!isSameSide(found, left)) await writeInside(root, path, left.content)
  }
  const discard = async () => {
    await rm(home, { recursive: true, force: true })
    held?.release()
  }
  const giveBack = async () => {
    if (copy && place.copies) await place.copies.give(copy)
    else await rm(root, { recursive: true, force: true })
  }
  return {
    id: place.id,
    get root() {
      return root
    },
    get skipped() {
      return base.skipped
    },
    complete,
    async files() {
      await atWork()
      const { found } = await walk(root, IgnoreRules.from(base.ignore_files, base.linked))
      return found.map(({ path }) => path)
    },
    read: (path) => (base.shrunk ? layer.read(base, root, path) : readInside(root, path)),
    write,
    list: async (path = '.') => listInside(await atWork(), path),
    remove: async (path) => removeInside(await atWork(), path),
    async changes() {
      return (await merged(await differences())).map(changeOf)
    },
    merged: async (taken) => merged(await differences(), taken),
    async accept({ paths, partial = false, files } = {}) {
      const all = await differences()
      const wanted = files ?? (await merged(paths ? chosen(all, paths) : all))
      const { accepted, conflicts } = await acceptInto({ root, project, id: place.id }, wanted, partial)
      for (const one of accepted) await follow(one)
      // What was accepted is what the project holds now: later changes are measured against it.
      base = withEntries(
        base,
        accepted.map(({ path, next }) => [path, next && entryOf(path, next)]),
      )
      await saveManifest(home, base)
      return { accepted: accepted.map(({ path }) => path), conflicts }
    },
    async drop(paths) {
      const dropped = chosen(await differences(), paths)
      base = withEntries(
        base,
        dropped.map(({ path, after }) => [path, after]),
      )
      await saveManifest(home, base)
    },
    async shrink() {
      try {
        const changed = await differences()
        const changes = (await merged(changed)).map(changeOf)
        if (base.shrunk && !held) return changes
        if (changed.length > 0) await keepOriginals(changed, project, home)
        if (!base.shrunk) {
          const left = changed.length > 0 && (await keepOnly(changed, root, join(home, 'changed'), base))
          if (left) await saveManifest(home, left)
          await giveBack()
          base = left || base
          root = rootOf(base)
        }
        if (changed.length === 0) await discard()
        else held?.release()
        return changes
      } catch (thrown) {
        if (copy) place.copies?.forget()
        throw thrown
      }
    },
    discard,
  }
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

function withEntries(
  manifest: Manifest,
  entries: readonly (readonly [string, Entry | undefined])[],
): Manifest {
  const files = new Map(manifest.files.map((entry) => [entry.path, entry]))
  for (const [path, entry] of entries) {
    if (entry) files.set(path, entry)
    else files.delete(path)
  }
  return { ...manifest, files: [...files.values()].sort(byPath) }
}
