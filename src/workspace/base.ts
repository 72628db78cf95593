import { randomUUID } from 'node:crypto'
import { mkdir, realpath, rename, rm } from 'node:fs/promises'
import { isAbsolute, join, posix } from 'node:path'
import { z } from 'zod'
import { atOnce } from '../at-once.ts'
import { getBlob, type Store } from '../core/store/store.ts'
import { messageOf, TwotrackError } from '../errors.ts'
import { lstatOrAbsent } from '../files/confine.ts'
import { makeFolder } from '../files/disk.ts'
import { IgnoreRules } from '../files/ignore.ts'
import { walk } from '../files/walk.ts'
import { WORKSPACE_FILES_AT_ONCE } from '../limits.ts'
import { type Border, holdsSecret } from './contents.ts'
import { ownFolders } from './copy.ts'
import type { Side } from './diff.ts'
import { putSide } from './make.ts'
import { type Entry, entrySchema } from './manifest.ts'
import { manifestEntry, sideAt } from './merged.ts'
import { contentsIn, isTracked, portions, trackedIn, trackedInClone } from './tracked.ts'

/** Whoever may write jobs could name a file that is written through a link, to any place of a worker's machine. */
function areBesideLinks(files: readonly Entry[]): boolean {
  const links = new Set(files.filter(({ mode }) => mode === '120000').map(({ path }) => path))
  const isBelow = (path: string): boolean => path !== '.' && (links.has(path) || isBelow(posix.dirname(path)))
  return !files.some(({ path }) => isBelow(posix.dirname(path)))
}

/** A project as it was, for machines that have no copy of it: its files by digest. */
export const baseSchema = z.strictObject({
  /** What git calls it, `<commit>:<folder>`; then files that the commit has need not be stored. */
  tree: z.string().optional(),
  files: z.array(entrySchema).refine(areBesideLinks, 'a file lies below a link'),
})
export type Base = z.infer<typeof baseSchema>

interface KeepOptions {
  readonly project: string
  /** Where Twotrack keeps its records. */
  readonly folder: string
  readonly store: Store
  /** A content with a secret is no blob: such a file is there only where git has it. */
  readonly border: Border
  /** Leaves out what the commit has: workers get it from git. */
  readonly fromGit: boolean
}

/** Stores what other machines need of a project: its files as blobs. What is not among them is named, with why. */
export async function keepBase(
  options: KeepOptions,
): Promise<{ readonly base: Base; readonly leftOut: ReadonlyMap<string, string> }> {
  const { project, store, border, fromGit } = options
  const top = await realpath(project)
  makeFolder(options.folder)
  const tracked = fromGit ? await trackedIn(top) : undefined
  const { found, skipped } = await walk(top, IgnoreRules.of(top, await ownFolders(options)))
  const leftOut = new Map(skipped.map(({ path, reason }) => [path, reason]))
  const entries = await atOnce(found, WORKSPACE_FILES_AT_ONCE, async ({ path }) => {
    const leave = (why: string) => void leftOut.set(path, why)
    const side = await sideAt(top, path).catch((thrown: unknown) => leave(messageOf(thrown)))
    if (!side) return undefined
    if (side.mode === '120000' && leadsOut(path, side)) return leave('a link that leads out of the project')
    if (!tracked || !isTracked(tracked, path, side)) {
      if (holdsSecret(border, side.content)) return leave('it holds a secret')
      await store.putBlob(side.content, 'bytes')
    }
    return manifestEntry(path, side)
  })
  const files = entries.filter((entry) => entry !== undefined)
  return { base: { ...(tracked ? { tree: tracked.tree } : {}), files }, leftOut }
}

const leadsOut = (path: string, { content }: Side): boolean => {
  const target = Buffer.from(content).toString()
  const end = posix.normalize(posix.join(posix.dirname(path), target.replaceAll('\\', '/')))
  return isAbsolute(target) || end === '..' || end.startsWith('../')
}

/**
 * Makes a folder that holds exactly these files, all checked by their digests; what is there already was. `repository`: a
 * clone to take from what is not stored. Nothing half made is ever found under the name.
 */
export async function layOut(
  base: Base,
  store: Store,
  folder: string,
  repository: string | undefined,
): Promise<void> {
  if (await lstatOrAbsent(folder)) return
  const part = `${folder}.${randomUUID()}.part`
  try {
    await mkdir(part, { recursive: true })
    const tracked =
      base.tree !== undefined && repository !== undefined
        ? await trackedInClone(repository, base.tree)
        : undefined
    for (const files of portions(base.files)) {
      const found = repository && tracked ? await contentsIn(repository, tracked, files) : undefined
      await atOnce(files, WORKSPACE_FILES_AT_ONCE, async ({ path, sha256: digest, mode }) => {
        const content = found?.get(path) ?? (await stored(digest, path))
        await putSide(join(part, path), { content, mode })
      })
    }
    // A project of its own: nothing above it is taken for its configuration.
    await mkdir(join(part, '.git'), { recursive: true })
    await rename(part, folder)
  } catch (thrown) {
    await rm(part, { recursive: true, force: true })
    // Another worker of this machine was first.
    if (!(await lstatOrAbsent(folder))) throw thrown
  }

  function stored(digest: string, path: string): Promise<Uint8Array> {
    return getBlob(store, digest).catch((cause: unknown) => {
      throw isMissing(cause) ? notHere(base, path, cause) : cause
    })
  }
}

const isMissing = (thrown: unknown): boolean => thrown instanceof TwotrackError && thrown.code === 'missing'

const notHere = ({ tree }: Base, path: string, cause: unknown) =>
  new TwotrackError(
    'missing',
    `${path} of the project is not in the store${tree === undefined ? ': submit the run again' : `, and no clone given here has ${tree.replace(/:$/, '')}: start the worker with --git CLONE`}.`,
    { cause },
  )
