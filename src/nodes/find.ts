/** The source files of a project, and their nodes. */

import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, posix, relative, resolve, sep } from 'node:path'
import { codeOf, messageOf, TwotrackError } from '../errors.ts'
import { isWithin } from '../files/confine.ts'
import { IgnoreRules } from '../files/ignore.ts'
import { type Stamp, stampOf } from '../files/stamp.ts'
import { byPath, type Skipped, walk } from '../files/walk.ts'
import { FILES_MAX, FOLDER_DEPTH_MAX } from '../limits.ts'
import { type ParsedFile, unreadableFile } from './parse.ts'
import { readSource } from './read-file.ts'
import { isSourcePath } from './source-path.ts'

interface FoundFile {
  /** Relative to the root, with `/`. */
  path: string
  bytes: number
  /** To see later whether it changed. */
  stamp: Stamp
}

interface FindOptions {
  readonly files_max?: number
  /** Whether a file of this name is looked for. */
  readonly wanted?: (name: string) => boolean
}

interface FoundFiles {
  files: FoundFile[]
  /** Folders and files that could not be read, with the reason. */
  unreadable: Skipped[]
}

const toKeyPath = (root: string, path: string): string => relative(root, path).split(sep).join('/')

/** The project's top folder without symbolic links. */
export const resolveRoot = async (root: string): Promise<string> => {
  try {
    return await realpath(root)
  } catch (cause) {
    throw new TwotrackError('missing', `The project root ${root} can't be read (${messageOf(cause)}).`, {
      cause,
    })
  }
}

const resolveGiven = async (root: string, given: string): Promise<string> => {
  const path = resolve(root, given)
  const real = await realpath(path).catch((cause: unknown) => {
    const why =
      codeOf(cause) === 'ENOENT' ? `There is no ${given}.` : `${given} can't be read (${messageOf(cause)}).`
    throw new TwotrackError('missing', `${why} Name a file or folder under ${root}.`, { cause })
  })
  if (!isWithin(root, real))
    throw new TwotrackError(
      'outside_workspace',
      `${given} leads out of the project (${root}). Name a path inside it.`,
    )
  return real
}

/**
 * Source files under the given paths, sorted, each once. A path that is named itself is taken even when it is ignored.
 * Symbolic links met on the way are not followed: what they lead to is found where it is, or lies outside.
 */
export const findFiles = async (
  root: string,
  paths: readonly string[],
  { files_max = FILES_MAX, wanted = isSourcePath }: FindOptions = {},
): Promise<FoundFiles> => {
  const realRoot = await resolveRoot(root)
  const found = new Map<string, FoundFile>()
  const unreadable: Skipped[] = []

  const addFile = async (path: string) => {
    if (!wanted(basename(path)) || found.has(path)) return
    try {
      const stats = await stat(join(realRoot, path))
      found.set(path, { path, bytes: stats.size, stamp: stampOf(stats) })
    } catch (cause) {
      unreadable.push({ path, reason: messageOf(cause) })
    }
    if (found.size > files_max)
      throw new TwotrackError(
        'limit',
        `More than ${files_max} source files under ${paths.join(', ')}. Name fewer paths, or list generated folders in .gitignore.`,
      )
  }

  const addFolder = async (folder: string) => {
    const under = (path: string) => toKeyPath(realRoot, join(folder, path))
    const options = { wanted, files_max }
    const { found, skipped } = await walk(folder, IgnoreRules.of(folder), options)
    unreadable.push(...skipped.map(({ path, reason }) => ({ path: under(path), reason })))
    await Promise.all(found.filter(({ kind }) => kind === 'file').map(({ path }) => addFile(under(path))))
  }

  for (const given of paths) {
    const path = await resolveGiven(realRoot, given)
    if ((await stat(path)).isDirectory()) await addFolder(path)
    else await addFile(toKeyPath(realRoot, path))
  }
  return { files: [...found.values()].sort(byPath), unreadable: unreadable.sort(byPath) }
}

/** Every source file under the paths with its nodes; a file that can't be read or parsed comes with its errors. */
export async function* findNodes(root: string, paths: readonly string[]): AsyncGenerator<ParsedFile> {
  const { files, unreadable } = await findFiles(root, paths)
  for (const { path, reason } of unreadable) yield unreadableFile(path, reason)
  for (const { path } of files) {
    // One that vanished meanwhile has no nodes.
    const parsed = (await readSource(root, path))?.parsed
    if (parsed !== undefined) yield parsed
  }
}

/**
 * Whether a single path is one that `findFiles` would find: for files that are heard of one by one.
 * Remembers rules: to be used for one batch of paths, and then made anew. Also refuses what leads out
 * of the root.
 */
export const belonging = (root: string): ((path: string) => Promise<boolean>) => {
  const ignored = IgnoreRules.of(root)
  const top = realpath(root).catch(() => root)
  return async (path) => {
    const folder = join(await top, dirname(path))
    const isPlain = posix.normalize(path) === path && isWithin(await top, folder) && !path.includes('\0')
    if (!isPlain || !isSourcePath(path) || path.split('/').length > FOLDER_DEPTH_MAX + 1) return false
    return !ignored.leavesOut(path) && (await realpath(folder).catch(() => '')) === folder
  }
}
