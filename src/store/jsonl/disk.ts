import { randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { messageOf, TwotrackError } from '../../errors.ts'
import { TEMPORARY_ENDING } from './layout.ts'

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not. Check the permissions',
  EPERM: 'this user may not. Check the permissions',
  EROFS: 'the disk is read-only. Choose another folder',
  ENOSPC: 'the disk is full. Free some space',
  EDQUOT: 'the quota is used up. Free some space',
  EFBIG: 'the file would be larger than the system allows',
  EISDIR: 'a folder is where a file should be. Move it away',
  ENOTDIR: 'a file is where a folder should be. Move it away or choose another folder',
  EEXIST: 'something else is there already. Move it away',
  ENOENT: 'the system does not let it be created there. Choose another folder',
  EMFILE: 'too many files are open',
}

export const systemCode = (thrown: unknown): string | undefined =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined

/** A failed system call, said for people. An error that already is ours stays as it is. */
export function diskError(doing: string, path: string, cause: unknown): TwotrackError {
  if (cause instanceof TwotrackError) return cause
  const code = systemCode(cause)
  const reason = (code && reasons[code]) ?? messageOf(cause)
  return new TwotrackError('io', `Can't ${doing} ${path}: ${reason}.`, { cause, details: { path, code } })
}

/**
 * Creates a folder and its parents so that they survive a power failure. One level at a time: Node's own
 * `recursive` never returns where the system answers ENOENT although the parent exists (/proc).
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await makeLevel(path)
  } catch (cause) {
    throw diskError('create folder', path, cause)
  }
}

async function makeLevel(path: string): Promise<void> {
  if (await isFolder(path)) return
  const parent = dirname(path)
  if (parent !== path) await makeLevel(parent)
  try {
    await mkdir(path)
    await syncFolder(parent)
  } catch (cause) {
    if (systemCode(cause) !== 'EEXIST') throw cause
    // Another process may have been faster.
    if (!(await isFolder(path)))
      throw Object.assign(new Error('not a folder', { cause }), { code: 'ENOTDIR' })
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') return false
    throw cause
  }
}

/** Makes new and renamed names in a folder durable. Systems that can't sync a folder do without. */
export async function syncFolder(path: string): Promise<void> {
  let handle: FileHandle | undefined
  try {
    handle = await open(path, 'r')
    await handle.sync()
  } catch (cause) {
    if (!['EISDIR', 'EPERM', 'EINVAL', 'ENOTSUP'].includes(systemCode(cause) ?? '')) throw cause
  } finally {
    await handle?.close()
  }
}

export async function writeFully(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  let done = 0
  while (done < bytes.length) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done)
    done += bytesWritten
  }
}

export const temporaryBeside = (path: string): string =>
  `${path}.${randomBytes(6).toString('hex')}${TEMPORARY_ENDING}`

/** Puts a file in place as a whole: who reads it sees all of the old or all of the new bytes. */
export async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  const temporary = temporaryBeside(path)
  try {
    const file = await open(temporary, 'wx')
    try {
      await file.writeFile(bytes)
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (cause) {
    await rm(temporary, { force: true })
    throw diskError('write', path, cause)
  }
}
