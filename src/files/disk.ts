import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fsync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { type FileHandle, readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { codeOf, messageOf, TwotrackError } from '../errors.ts'
import { markOwn } from './own-folder.ts'

export const TEMPORARY_ENDING = '.tmp'

/** Records hold whatever tools printed: they are for the person who runs them, nobody else on the machine. */
export const PRIVATE_FILE = 0o600
const PRIVATE_FOLDER = 0o700

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

/** A failed system call, said for people. An error that already is ours stays as it is. */
export function diskError(doing: string, path: string, cause: unknown): TwotrackError {
  if (cause instanceof TwotrackError) return cause
  const code = codeOf(cause)
  const reason = (code && reasons[code]) ?? messageOf(cause)
  return new TwotrackError('io', `Can't ${doing} ${path}: ${reason}.`, { cause, details: { path, code } })
}

/**
 * Creates a folder and its parents so that they survive a power failure. One level at a time: Node's own
 * `recursive` never returns where the system answers ENOENT although the parent exists (/proc).
 */
export function makeFolder(path: string): void {
  try {
    makeLevel(path)
  } catch (cause) {
    throw diskError('create folder', path, cause)
  }
}

function makeLevel(path: string): void {
  const isFolder = () => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  if (isFolder()) return
  const parent = dirname(path)
  if (parent !== path) makeLevel(parent)
  try {
    if (basename(path) === '.agentfs') makeRecords(path)
    else mkdirSync(path, PRIVATE_FOLDER)
  } catch (cause) {
    // Another process may have been faster.
    if (!isFolder())
      throw codeOf(cause) === 'EEXIST'
        ? Object.assign(new Error('not a folder', { cause }), { code: 'ENOTDIR' })
        : cause
  }
  const handle = openSync(parent, 'r')
  try {
    fsyncSync(handle)
  } catch (cause) {
    if (!isUnsyncable(cause)) throw cause
  } finally {
    closeSync(handle)
  }
}

/** A folder for records, with its mark from its first moment on: to everybody else one without is a stranger's. */
function makeRecords(path: string): void {
  const made = temporaryBeside(path)
  mkdirSync(made, PRIVATE_FOLDER)
  try {
    // Nobody wants records in a repository by accident. Who removes the rule has decided otherwise.
    writeFileSync(join(made, '.gitignore'), '*\n')
    markOwn(made)
    renameSync(made, path)
  } catch (cause) {
    rmSync(made, { recursive: true, force: true })
    throw cause
  }
}

const isUnsyncable = (cause: unknown) =>
  ['EISDIR', 'EPERM', 'EINVAL', 'ENOTSUP'].includes(codeOf(cause) ?? '')

/** The one step that takes its time: opening, writing and renaming small files is done sooner than it is waited for. */
export const synced = promisify(fsync)

/** Makes new and renamed names in a folder durable. Systems that can't sync a folder do without. */
export async function syncFolder(path: string): Promise<void> {
  let opened: number | undefined
  try {
    opened = openSync(path, 'r')
    await synced(opened)
  } catch (cause) {
    if (!isUnsyncable(cause)) throw cause
  } finally {
    if (opened !== undefined) closeSync(opened)
  }
}

export function writeFully({ fd }: Pick<FileHandle, 'fd'>, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; )
    done += writeSync(fd, bytes, done, bytes.length - done, position + done)
}

/** An empty file of the owner's alone, unless there is one; whoever opens it says why it can't be made. */
export function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', PRIVATE_FILE))
  } catch {}
}

export const temporaryBeside = (path: string): string =>
  `${path}.${randomBytes(6).toString('hex')}${TEMPORARY_ENDING}`

/** Puts a file of the owner's alone in place as a whole: who reads it sees all of the old or all of the new bytes. */
export async function replaceFile(path: string, bytes: Uint8Array, sync = false): Promise<void> {
  const temporary = temporaryBeside(path)
  try {
    const file = openSync(temporary, 'wx', PRIVATE_FILE)
    try {
      writeFileSync(file, bytes)
      if (sync) await synced(file)
    } finally {
      closeSync(file)
    }
    renameSync(temporary, path)
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => {})
    throw diskError('write', path, cause)
  }
}

/** Undefined where nothing is. */
export async function statOrAbsent(path: string): Promise<Stats | undefined> {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (cause) {
    throw diskError('look at', path, cause)
  }
}

/** What is in a folder; nothing if there is none. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return []
    throw diskError('read folder', folder, cause)
  }
}

/** The paths of all files in a folder and the folders in it. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries.flatMap((entry) => (entry.isDirectory() ? [] : [join(entry.parentPath, entry.name)]))
}
