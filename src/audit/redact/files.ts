import { chmod, lstat, readFile, rm } from 'node:fs/promises'
import { relative } from 'node:path'
import { filesBelow, replaceFile } from '../../files/disk.ts'
import { REDACT_FILE_BYTES_MAX } from '../../limits.ts'
import { type Redact, redactBytes } from './texts.ts'

/** Of a store: its own parts went through the store. Locks are held by somebody. */
const OF_STORE = /^(?:traces|blobs)[/\\]|^traces\.index|\.(?:lock|held)$|^agent\.db/
const SQLITE = 'SQLite format 3\0'

/**
 * What else is under the folder: copies of projects, exports, indexes. A text is changed where it stands; a database
 * that holds it is a cache of ours, and is removed. Gives the paths of those.
 */
export async function redactFiles(folder: string, redact: Redact, dryRun: boolean): Promise<string[]> {
  const names: string[] = []
  for (const path of await filesBelow(folder)) {
    const name = relative(folder, path)
    if (OF_STORE.test(name)) continue
    const found = await lstat(path)
    // What a link leads to is not ours.
    if (!found.isFile() || found.size > REDACT_FILE_BYTES_MAX) continue
    const before = await readFile(path)
    const after = redactBytes(before, redact)
    if (after === before) continue
    names.push(name)
    if (dryRun) continue
    const database = /^(.*)-(?:wal|shm|journal)$/.exec(path)?.[1] ?? path
    if (database !== path || before.toString('latin1', 0, SQLITE.length) === SQLITE)
      await removeDatabase(database)
    else {
      await replaceFile(path, after, true)
      await chmod(path, found.mode)
    }
  }
  return names.sort()
}

async function removeDatabase(path: string): Promise<void> {
  for (const part of [`${path}-wal`, `${path}-shm`, `${path}-journal`, path]) await rm(part, { force: true })
}
