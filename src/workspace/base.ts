import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, realpath, rename, rm } from 'node:fs/promises'
import { isAbsolute, join, posix } from 'node:path'
import { z } from 'zod'
import { atOnce } from '../at-once.ts'
import { getBlob, type Store } from '../core/store/store.ts'
import { messageOf, TwotrackError } from '../errors.ts'
import { lstatOrAbsent } from '../files/confine.ts'
import { makeFolder } from '../files/disk.ts'
import { git } from '../files/git.ts'
import { harmlessEnvironment } from '../files/harmless-environment.ts'
import { IgnoreRules } from '../files/ignore.ts'
import { walk } from '../files/walk.ts'
import { WORKSPACE_FILES_AT_ONCE } from '../limits.ts'
import { ownFolders } from './copy.ts'
import type { Side } from './diff.ts'
import { putSide } from './make.ts'
import { entryAt, entrySchema } from './manifest.ts'
import { manifestEntry, sideAt } from './merged.ts'

/** A project as it was, for machines that have no copy of it: its files by digest. */
export const baseSchema = z.strictObject({
  /** What git calls it, `<commit>:<folder>`; then files that the commit has need not be stored. */
  tree: z.string().optional(),
  files: z.array(entrySchema),
})
export type Base = z.infer<typeof baseSchema>

interface KeepOptions {
  readonly project: string
  /** Where Twotrack keeps its records. */
  readonly folder: string
  readonly store: Store
  /** A content with a secret is no blob: such a file is there only where git has it. */
  holdsSecret(content: Uint8Array): boolean
  /** Leaves out what the commit has: workers get it from git. */
  readonly fromGit: boolean
}

/** Stores what other machines need of a project: its files as blobs. What is not among them is named. */
export async function keepBase(
  options: KeepOptions,
): Promise<{ readonly base: Base; readonly leftOut: readonly string[] }> {
  const { project, store, holdsSecret, fromGit } = options
  const top = await realpath(project)
  makeFolder(options.folder)
  const tracked = fromGit ? await trackedIn(top) : undefined
  const { found, skipped } = await walk(top, IgnoreRules.of(top, await ownFolders(options)))
  const leftOut = skipped.map(({ path, reason }) => `${path} (${reason})`)
  const entries = await atOnce(found, WORKSPACE_FILES_AT_ONCE, async ({ path }) => {
    const leave = (why: string) => void leftOut.push(`${path} (${why})`)
    const side = await sideAt(top, path).catch((thrown: unknown) => leave(messageOf(thrown)))
    if (!side) return undefined
    if (side.mode === '120000' && leadsOut(path, side)) return leave('a link that leads out of the project')
    const isTracked = tracked?.ids.get(path) === `${side.mode} ${idOf(side, tracked?.idChars)}`
    if (!isTracked && holdsSecret(side.content)) return leave('it holds a secret')
    if (!isTracked) await store.putBlob(side.content, 'bytes')
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

/** What the last commit has of a folder: modes and ids by path. Throws `bad_argument` where git knows no commit. */
async function trackedIn(project: string) {
  const ask = async (...args: string[]) => {
    const answer = await git(project, args)
    if (answer?.code === 0) return answer.stdout.toString()
    throw new TwotrackError('bad_argument', `git knows no commit of ${project}: leave out --from-git.`)
  }
  const commit = (await ask('rev-parse', '--verify', 'HEAD')).trim()
  const prefix = (await ask('rev-parse', '--show-prefix')).trim()
  const ids = new Map<string, string>()
  for (const line of (await ask('ls-tree', '-r', '-z', 'HEAD')).split('\0')) {
    const [facts = '', path = ''] = line.split('\t')
    const [mode, , id] = facts.split(' ')
    ids.set(path, `${mode} ${id}`)
  }
  return { tree: `${commit}:${prefix}`, ids, idChars: commit.length }
}

/** The id that git gives a content, in a repository with ids of this length. */
const idOf = ({ content }: Side, chars: number | undefined): string =>
  createHash(chars === 64 ? 'sha256' : 'sha1')
    .update(`blob ${content.length}\0`)
    .update(content)
    .digest('hex')

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
    if (base.tree !== undefined && repository !== undefined) await archived(repository, base.tree, part)
    await removeOthers(part, new Set(base.files.map(({ path }) => path)))
    await atOnce(base.files, WORKSPACE_FILES_AT_ONCE, async (entry) => {
      const file = join(part, entry.path)
      const there = await entryAt(file, entry.path)
      if (there?.sha256 === entry.sha256 && there.mode === entry.mode) return
      const content = await getBlob(store, entry.sha256).catch((cause: unknown) => {
        throw isMissing(cause) ? notHere(base, entry.path, cause) : cause
      })
      await rm(file, { force: true })
      await putSide(file, { content, mode: entry.mode })
    })
    // A project of its own: nothing above it is taken for its configuration.
    await mkdir(join(part, '.git'), { recursive: true })
    await rename(part, folder)
  } catch (thrown) {
    await rm(part, { recursive: true, force: true })
    // Another worker of this machine was first.
    if (!(await lstatOrAbsent(folder))) throw thrown
  }
}

const isMissing = (thrown: unknown): boolean => thrown instanceof TwotrackError && thrown.code === 'missing'

const notHere = ({ tree }: Base, path: string, cause: unknown) =>
  new TwotrackError(
    'missing',
    `${path} of the project is not in the store${tree === undefined ? ': submit the run again' : `, and no clone given here has ${tree.replace(/:$/, '')}: start the worker with --git CLONE`}.`,
    { cause },
  )

/** What git has of a tree, by way of its own archive; nothing where it has not: the store may have it. */
async function archived(repository: string, tree: string, into: string): Promise<void> {
  const ask = () => git(repository, ['archive', '--format=tar', tree])
  let answer = await ask()
  if (answer?.code !== 0) {
    await git(repository, ['fetch', '--quiet', '--all'])
    answer = await ask()
  }
  if (answer?.code !== 0) return
  const { stdout } = answer
  await new Promise<void>((resolve) => {
    const env = harmlessEnvironment(process.env)
    // What is not unpacked is looked for in the store.
    const child = execFile('tar', ['-x', '-f', '-', '-C', into], { env }, () => resolve())
    child.stdin?.on('error', () => {})
    child.stdin?.end(stdout)
  })
}

async function removeOthers(root: string, kept: ReadonlySet<string>): Promise<void> {
  for (const entry of await readdir(root, { withFileTypes: true, recursive: true })) {
    if (entry.isDirectory()) continue
    const file = join(entry.parentPath, entry.name)
    if (!kept.has(file.slice(root.length + 1).replaceAll('\\', '/'))) await rm(file, { force: true })
  }
}
