/** The source files of a project, and their nodes. */

import type { Dirent } from 'node:fs'
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { messageOf, TwotrackError } from '../errors.ts'
import { enterFolder, type IgnoreRules, isIgnored, rulesForNamed } from '../files/gitignore.ts'
import { FOLDER_DEPTH_MAX, SOURCE_BYTES_MAX, SOURCE_FILES_MAX } from '../limits.ts'
import { type ParsedFile, parseNodes, refusedFile } from './parse.ts'
import { isSourcePath } from './source-path.ts'

/** Folders that are never searched, whatever `.gitignore` says: not a project's own source, or Twotrack's own data. */
export const SKIPPED_FOLDERS: ReadonlySet<string> = new Set([
  '.git',
  '.hg',
  '.svn',
  '.agentfs',
  'node_modules',
  '__pycache__',
  '.venv',
])

export interface FindLimits {
  files_max: number
  file_bytes_max: number
}

export const FIND_LIMITS: FindLimits = { files_max: SOURCE_FILES_MAX, file_bytes_max: SOURCE_BYTES_MAX }

export interface FoundFile {
  /** Relative to the root, with `/`. */
  path: string
  bytes: number
  /** What tells later whether it changed. */
  stamp: { mtime_ms: number; ctime_ms: number; size: number }
}

export interface FoundFiles {
  files: FoundFile[]
  /** Folders and files that could not be read, with the reason. */
  unreadable: { path: string; reason: string }[]
}

const toKeyPath = (root: string, path: string): string => relative(root, path).split(sep).join('/')

const isInside = (root: string, path: string): boolean =>
  path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)

const resolveRoot = async (root: string): Promise<string> => {
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
    throw new TwotrackError(
      'missing',
      `${given} can't be read (${messageOf(cause)}). Name a file or folder under ${root}.`,
      { cause },
    )
  })
  if (!isInside(root, real))
    throw new TwotrackError(
      'outside_workspace',
      `${given} leads out of the project (${root}). Name a path inside it.`,
    )
  return real
}

/** By code units, so that the order is the same on every machine. */
const byPath = (one: { path: string }, other: { path: string }): number =>
  one.path < other.path ? -1 : one.path > other.path ? 1 : 0

/**
 * Source files under the given paths, sorted, each once. A path that is named itself is taken even when it is ignored.
 * Symbolic links met on the way are not followed: what they lead to is found where it is, or lies outside.
 */
export const findFiles = async (
  root: string,
  paths: readonly string[],
  limits: FindLimits = FIND_LIMITS,
): Promise<FoundFiles> => {
  const realRoot = await resolveRoot(root)
  const found = new Map<string, FoundFile>()
  const unreadable: FoundFiles['unreadable'] = []
  const folders: { folder: string; rules: IgnoreRules | null; depth: number }[] = []
  const seen = new Set<string>()

  const addFile = async (file: string) => {
    const path = toKeyPath(realRoot, file)
    if (!isSourcePath(path) || found.has(path)) return
    try {
      const { size, mtimeMs, ctimeMs } = await stat(file)
      found.set(path, { path, bytes: size, stamp: { mtime_ms: mtimeMs, ctime_ms: ctimeMs, size } })
    } catch (cause) {
      unreadable.push({ path, reason: messageOf(cause) })
    }
    if (found.size > limits.files_max)
      throw new TwotrackError(
        'limit',
        `More than ${limits.files_max} source files under ${paths.join(', ')}. Name fewer paths, or list generated folders in .gitignore.`,
      )
  }

  const entriesOf = async (folder: string): Promise<Dirent[]> => {
    try {
      return await readdir(folder, { withFileTypes: true })
    } catch (cause) {
      unreadable.push({ path: toKeyPath(realRoot, folder), reason: messageOf(cause) })
      return []
    }
  }

  for (const given of paths) {
    const path = await resolveGiven(realRoot, given)
    if ((await stat(path)).isDirectory()) folders.push({ folder: path, rules: rulesForNamed(path), depth: 0 })
    else await addFile(path)
  }
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const { folder, rules, depth } = next
    if (seen.has(folder)) continue
    seen.add(folder)
    const files: string[] = []
    for (const entry of await entriesOf(folder)) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) {
        if (SKIPPED_FOLDERS.has(entry.name) || isIgnored(path, true, rules)) continue
        if (depth < FOLDER_DEPTH_MAX)
          folders.push({ folder: path, rules: enterFolder(path, rules), depth: depth + 1 })
        else
          unreadable.push({
            path: toKeyPath(realRoot, path),
            reason: `more than ${FOLDER_DEPTH_MAX} folders deep`,
          })
      } else if (entry.isFile() && isSourcePath(entry.name) && !isIgnored(path, false, rules)) {
        files.push(path)
      }
    }
    await Promise.all(files.map(addFile))
  }
  return { files: [...found.values()].sort(byPath), unreadable: unreadable.sort(byPath) }
}

export interface FindOptions {
  limits?: FindLimits
  /** Called before each file is read. */
  onProgress?: (progress: { done: number; total: number; path: string }) => void
}

const parseFile = async (
  root: string,
  { path, bytes }: FoundFile,
  limits: FindLimits,
): Promise<ParsedFile> => {
  if (bytes > limits.file_bytes_max)
    return refusedFile(
      path,
      'too_large',
      `${path} has ${bytes} bytes; at most ${limits.file_bytes_max} are read.`,
    )
  let source: Uint8Array
  try {
    source = await readFile(join(root, path))
  } catch (cause) {
    return refusedFile(path, 'unreadable', `${path} can't be read: ${messageOf(cause)}`)
  }
  return parseNodes(path, source)
}

/** Every source file under the paths with its nodes; a file that can't be read or parsed comes with its errors. */
export async function* findNodes(
  root: string,
  paths: readonly string[],
  options: FindOptions = {},
): AsyncGenerator<ParsedFile> {
  const limits = options.limits ?? FIND_LIMITS
  const { files, unreadable } = await findFiles(root, paths, limits)
  for (const { path, reason } of unreadable)
    yield refusedFile(path, 'unreadable', `${path} can't be read: ${reason}`)
  for (const [done, file] of files.entries()) {
    options.onProgress?.({ done, total: files.length, path: file.path })
    yield await parseFile(root, file, limits)
  }
}
