import { existsSync, mkdirSync, realpathSync } from 'node:fs'
import { chmod, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { TwotrackError } from '../errors.ts'
import { inside, lstatOrAbsent } from '../files/confine.ts'
import { listInside, readInside, removeInside, writeInside } from '../files/files.ts'
import { IgnoreRules } from '../files/ignore.ts'
import { walk } from '../files/walk.ts'
import { compare, type FileDifference } from './changes.ts'
import type { Side } from './diff.ts'
import { layerOf } from './layer.ts'
import {
  type BegunFile,
  homeOf,
  type Made,
  makeComplete,
  makeLayer,
  saveManifest,
  type WorkspaceOptions,
} from './make.ts'
import { type Entry, type Manifest, readManifest } from './manifest.ts'
import { sideAt } from './merged.ts'
import { originalOf } from './original.ts'

/**
 * An agent's own copy of a project. Paths are relative to its top and separated by `/`; one that could lead out
 * throws `outside_workspace`. What is changed in it reaches the project only as a proposal that a person accepts.
 */
export interface Workspace {
  readonly id: string
  /** Absolute; what commands run in once it is complete. Before, a folder with only what changed. */
  readonly root: string
  /** What was not copied though no rule leaves it out, and why. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[]
  /** Makes it complete: a copy of the whole project, with what was changed so far. Gives its root. */
  complete(): Promise<string>
  /** Every file, sorted, without what is left out. */
  files(): Promise<string[]>
  /** A file that was not changed is read from the project. */
  read(path: string): Promise<Buffer>
  write(path: string, content: string | Uint8Array): Promise<void>
  list(path?: string): Promise<{ name: string; kind: 'file' | 'folder' | 'link' | 'other' }[]>
  remove(path: string): Promise<void>
  /** What differs from the copied project, sorted by path. */
  changes(): Promise<FileDifference[]>
  /** What the agent left at a path that `changes` names. @internal */
  after(path: string): Promise<Side | undefined>
  /** What was there before; undefined where it is nowhere any more. @internal */
  before(entry: Entry): Promise<Side | undefined>
  /** Lets go of it and leaves it on disk. */
  release(): void
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
export async function openWorkspace(
  place: Pick<WorkspaceOptions, 'project' | 'folder' | 'id'>,
): Promise<Workspace> {
  const manifest = await readManifest(join(homeOf(place), 'manifest.json'), place.id)
  return workspaceAt(place, { manifest })
}

/** A workspace to work in: the one that is left, or a new one, with the changes of `begun`. It costs what is changed in it. */
export async function workspaceFor(
  options: WorkspaceOptions,
  begun?: readonly BegunFile[],
): Promise<Workspace> {
  return workspaceAt(options, await makeLayer(options, begun))
}

async function workspaceAt(place: WorkspaceOptions, made: Made): Promise<Workspace> {
  const { held } = made
  const home = homeOf(place)
  const project = realpathSync.native(place.project)
  const rootOf = ({ layer }: Manifest) => {
    const at = join(home, layer ? 'changed' : 'files')
    return existsSync(at) ? realpathSync.native(at) : at
  }
  let { manifest: base, copy } = made
  let root = rootOf(base)
  let isSaved = made.isSaved ?? false
  const layer = layerOf(project, place)
  const differences = async () =>
    base.layer && !(await lstatOrAbsent(root))
      ? []
      : compare(root, base, base.layer ? undefined : copy?.files)
  const complete = async () => {
    if (!base.layer) return root
    ;({ manifest: base, copy } = await makeComplete(place, await differences()))
    root = rootOf(base)
    return root
  }
  /** One that is only looked at later stays as it is. */
  const atWork = async () => (held ? complete() : root)
  const write = async (path: string, content: string | Uint8Array) => {
    if (!base.layer) return writeInside(root, path, content)
    mkdirSync(root, { recursive: true })
    const before = await layer.before(base, path)
    await writeInside(root, path, content)
    if (before?.mode === '100755') await chmod(await inside(root, path), 0o755)
    // Only now: a kill in between leaves no workspace yet, or an added file, which is a conflict, and never a removed one.
    const next = layer.withBefore(base, before)
    if (next !== base || !isSaved) await saveManifest(home, next)
    base = next
    isSaved = true
  }
  const discard = async () => {
    if (!base.layer && copy && place.copies) await place.copies.give(copy)
    copy = undefined
    await rm(home, { recursive: true, force: true })
    held?.release()
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
    read: (path) => (base.layer ? layer.read(base, root, path) : readInside(root, path)),
    write,
    list: async (path = '.') => listInside(await atWork(), path),
    remove: async (path) => removeInside(await atWork(), path),
    changes: differences,
    after: (path) => sideAt(root, path),
    before: (entry) => originalOf(project, entry),
    release() {
      if (copy) place.copies?.forget()
      held?.release()
    },
    discard,
  }
}
