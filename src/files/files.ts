import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { chmod, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { codeOf, TwotrackError } from '../errors.ts'
import { WORKSPACE_FILE_BYTES_MAX } from '../limits.ts'
import { inside, lstatOrAbsent, segmentsOf } from './confine.ts'

export interface FolderEntry {
  readonly name: string
  readonly kind: 'file' | 'folder' | 'link' | 'other'
}

/** The bytes of a regular file under `root`. Throws `missing`, `limit`, `outside_workspace`. */
export async function readInside(root: string, path: string): Promise<Buffer> {
  return readRegular(await inside(root, path), path)
}

/** Never blocks on a pipe, never follows a link that appeared after the path was checked. */
export const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

export async function readRegular(file: string, path: string): Promise<Buffer> {
  const handle = await open(file, READ_FLAGS).catch((cause) => {
    throw asMissing(cause, path)
  })
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) {
      throw new TwotrackError('bad_argument', `"${path}" is not a regular file; give the path of a file.`)
    }
    if (stats.size > WORKSPACE_FILE_BYTES_MAX) throw tooLarge(path, stats.size)
    return await handle.readFile()
  } finally {
    await handle.close()
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
  const target = await inside(root, path)
  const existing = await lstatOrAbsent(target)
  if (existing && !existing.isFile()) {
    throw new TwotrackError('bad_argument', `"${path}" is not a regular file, so it cannot be written.`)
  }
  await mkdir(dirname(target), { recursive: true }).catch((cause) => {
    throw asMissing(cause, path)
  })
  const staged = join(dirname(target), `.twotrack-${randomBytes(8).toString('hex')}.tmp`)
  await stage(staged, bytes, existing ? existing.mode & 0o7777 : 0o666)
  await rename(staged, target).catch(async (thrown) => {
    await rm(staged, { force: true })
    throw thrown
  })
}

/** A new file with this content on disk; `mode` counts as it is, unless it is the default. */
export async function stage(file: string, bytes: Uint8Array, mode: number): Promise<void> {
  const handle = await open(file, 'wx', mode)
  try {
    await handle.writeFile(bytes)
    await handle.sync()
  } finally {
    await handle.close()
  }
  if (mode !== 0o666) await chmod(file, mode)
}

/** Sorted by name. */
export async function listInside(root: string, path: string): Promise<FolderEntry[]> {
  const folder = await inside(root, path)
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause) => {
    throw asMissing(cause, path)
  })
  return entries
    .map((entry): FolderEntry => ({ name: entry.name, kind: kindOf(entry) }))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** Removes a file, or a link itself; folders stay. Throws `missing` if nothing is there. */
export async function removeInside(root: string, path: string): Promise<void> {
  const segments = segmentsOf(path)
  const name = segments.pop()
  if (name === undefined) throw new TwotrackError('bad_argument', `"${path}" names no file.`)
  const target = join(await inside(root, segments.join('/')), name)
  await rm(target).catch((cause) => {
    throw asMissing(cause, path)
  })
}

export const kindOf = (entry: {
  isFile(): boolean
  isDirectory(): boolean
  isSymbolicLink(): boolean
}): FolderEntry['kind'] =>
  entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : entry.isSymbolicLink() ? 'link' : 'other'

function asMissing(cause: unknown, path: string): unknown {
  const code = codeOf(cause)
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EEXIST') {
    const why = code === 'ENOENT' ? 'there is no such file or folder' : 'a file is where a folder should be'
    return new TwotrackError('missing', `"${path}": ${why}. List its folder to see what there is.`, { cause })
  }
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
