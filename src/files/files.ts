import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { codeOf, TwotrackError } from '../errors.ts'
import { WORKSPACE_FILE_BYTES_MAX } from '../limits.ts'
import { lstatIfThere, placeInside, segmentsOf } from './confine.ts'
import { synced } from './disk.ts'
import { atFile, inFolder } from './held.ts'

export interface FolderEntry {
  readonly name: string
  readonly kind: 'file' | 'folder' | 'link' | 'other'
}

/** The bytes of a regular file under `root`. Throws `missing`, `limit`, `outside_workspace`. */
export async function readInside(root: string, path: string): Promise<Buffer> {
  const content = await atTarget(root, path, (file) => readRegular(file, path))
  if (content) return content
  throw notThere(path)
}

/** With the file that a path leads to, a link in its own place followed. */
async function atTarget<T>(
  root: string,
  path: string,
  work: (file: string) => Promise<T>,
  options?: { readonly make: boolean },
): Promise<T | undefined> {
  const { top, target } = placeInside(root, path)
  const inOne = (folder: string) => work(join(folder, basename(target)))
  return inFolder(top, dirname(target), path, inOne, options)
}

/** Never blocks on a pipe, never follows a link that appeared after the path was checked. */
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Without waiting: what a system has of a file of bounded size it gives sooner than a wait takes. */
export async function readRegular(file: string, path: string): Promise<Buffer> {
  let opened: number | undefined
  try {
    opened = openSync(file, READ_FLAGS)
    const stats = fstatSync(opened)
    if (!stats.isFile()) {
      throw new TwotrackError('bad_argument', `"${path}" is not a regular file; give the path of a file.`)
    }
    if (stats.size > WORKSPACE_FILE_BYTES_MAX) throw tooLarge(path, stats.size)
    return readFileSync(opened)
  } catch (thrown) {
    throw opened === undefined ? asMissing(thrown, path) : thrown
  } finally {
    if (opened !== undefined) closeSync(opened)
  }
}

/**
 * Writes a whole file under `root`, making its folders. The file is replaced, never written in place, so
 * nothing else that shares its bytes changes and no reader sees half of it. An existing file keeps its mode.
 */
export async function writeInside(root: string, path: string, content: string | Uint8Array): Promise<void> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  if (bytes.length > WORKSPACE_FILE_BYTES_MAX) throw tooLarge(path, bytes.length)
  if (segmentsOf(path).length === 0) throw new TwotrackError('bad_argument', `"${path}" names no file.`)
  await atTarget(root, path, (file) => replaceAt(file, path, bytes), { make: true }).catch((cause) => {
    throw cause instanceof TwotrackError ? cause : asMissing(cause, path)
  })
}

async function replaceAt(file: string, path: string, bytes: Uint8Array): Promise<void> {
  const existing = lstatIfThere(file)
  if (existing && !existing.isFile()) {
    throw new TwotrackError('bad_argument', `"${path}" is not a regular file, so it cannot be written.`)
  }
  const staged = join(dirname(file), `.twotrack-${randomBytes(8).toString('hex')}.tmp`)
  try {
    await stage(staged, bytes, existing ? existing.mode & 0o7777 : 0o666)
    renameSync(staged, file)
  } catch (thrown) {
    await rm(staged, { force: true })
    throw thrown
  }
}

/** A new file with this content on disk; `mode` counts as it is, unless it is the default. */
export async function stage(file: string, bytes: Uint8Array, mode: number): Promise<void> {
  const opened = openSync(file, 'wx', mode)
  try {
    writeFileSync(opened, bytes)
    if (mode !== 0o666) fchmodSync(opened, mode)
    await synced(opened)
  } finally {
    closeSync(opened)
  }
}

/** Sorted by name. */
export async function listInside(root: string, path: string): Promise<FolderEntry[]> {
  const list = (folder: string) => readdir(folder, { withFileTypes: true })
  const { top, target } = placeInside(root, path)
  const entries = await inFolder(top, target, path, list)
  if (!entries) throw notThere(path)
  return entries
    .map((entry): FolderEntry => ({ name: entry.name, kind: kindOf(entry) }))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** Removes a file, or a link itself; folders stay. Throws `missing` if nothing is there. */
export async function removeInside(root: string, path: string): Promise<void> {
  const removed = await atFile(root, path, async (file) => {
    await rm(file).catch((cause) => {
      throw asMissing(cause, path)
    })
    return true
  })
  if (!removed) throw notThere(path)
}

export const kindOf = (entry: {
  isFile(): boolean
  isDirectory(): boolean
  isSymbolicLink(): boolean
}): FolderEntry['kind'] =>
  entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : entry.isSymbolicLink() ? 'link' : 'other'

const notThere = (path: string, cause?: unknown, why = 'there is no such file or folder'): TwotrackError =>
  new TwotrackError('missing', `"${path}": ${why}. List its folder to see what there is.`, { cause })

function asMissing(cause: unknown, path: string): unknown {
  const code = codeOf(cause)
  if (code === 'ENOENT') return notThere(path, cause)
  if (code === 'ENOTDIR' || code === 'EEXIST')
    return notThere(path, cause, 'a file is where a folder should be')
  if (code === 'EISDIR' || code === 'ERR_FS_EISDIR')
    return new TwotrackError('bad_argument', `"${path}" is a folder; give the path of a file.`, { cause })
  if (code === 'ELOOP')
    return new TwotrackError('outside_workspace', `"${path}" became a link while it was opened.`, { cause })
  return new TwotrackError('io', `"${path}" cannot be used: ${code ?? 'unknown error'}.`, { cause })
}

export const tooLarge = (path: string, bytes: number): TwotrackError =>
  new TwotrackError(
    'limit',
    `"${path}" has ${bytes} bytes, over the ${WORKSPACE_FILE_BYTES_MAX} that a workspace takes per file.`,
  )
