/** The index on disk: a SQLite file with one writer, the hub, and any number of readers. */

import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { TwotrackError } from '../../errors.ts'
import { Connection } from '../../files/sqlite.ts'
import { HUB_BUSY_MS_MAX } from '../../limits.ts'

/** Raised when the tables or what is computed of a file change: an index of another format is built anew. */
const INDEX_FORMAT = 4

/**
 * - `file`: what was last seen of each file (`FileRow`). `linked` is 0 while the calls that leave it have to be followed
 *   again.
 * - `outline`: its nodes, compressed, and apart, so that a look at all files stays cheap.
 * - `link`: calls. `need`: stems of the files that a file's links depend on.
 */
const SCHEMA = `
  CREATE TABLE file (path TEXT PRIMARY KEY, seen TEXT NOT NULL, linked INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX file_unlinked ON file(path) WHERE linked = 0;
  CREATE TABLE outline (path TEXT PRIMARY KEY, nodes BLOB NOT NULL);
  CREATE TABLE link (
    from_path TEXT NOT NULL, from_key TEXT NOT NULL, to_key TEXT NOT NULL, certain INTEGER NOT NULL,
    PRIMARY KEY (from_path, from_key, to_key)
  ) WITHOUT ROWID;
  CREATE INDEX link_to ON link(to_key);
  CREATE TABLE need (stem TEXT NOT NULL, path TEXT NOT NULL, PRIMARY KEY (stem, path)) WITHOUT ROWID;
  CREATE INDEX need_path ON need(path);
`

const formatOf = (connection: Connection): number =>
  Number(connection.get('PRAGMA user_version')?.['user_version'] ?? 0)

/** Undefined when the file is of no use: damaged, or of another format. */
const openUsable = (file: string, check: boolean): Connection | undefined => {
  let connection: Connection | undefined
  try {
    connection = new Connection(file, { busy_ms: HUB_BUSY_MS_MAX })
    connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
    const isSound = !check || connection.get('PRAGMA quick_check(1)')?.['quick_check'] === 'ok'
    if (isSound && [0, INDEX_FORMAT].includes(formatOf(connection))) return connection
  } catch (thrown) {
    if (!(thrown instanceof TwotrackError) || thrown.code !== 'damaged') throw thrown
  }
  connection?.close()
  return undefined
}

/**
 * For the one writer. What is of no use holds nothing that the code does not: it is made anew. `check` looks for damage
 * that only shows later; to be asked for after a crash.
 */
export const openToWrite = (file: string, check = false): Connection => {
  mkdirSync(dirname(file), { recursive: true })
  let connection = openUsable(file, check)
  if (connection === undefined) {
    for (const ending of ['', '-wal', '-shm']) rmSync(file + ending, { force: true })
    connection = openUsable(file, false)
  }
  if (connection === undefined)
    throw new TwotrackError('io', `The hub's index ${file} can't be made anew. Remove it.`)
  if (formatOf(connection) === 0)
    connection.exec(`BEGIN; ${SCHEMA} PRAGMA user_version = ${INDEX_FORMAT}; COMMIT`)
  return connection
}

/** Undefined when there is none that can be read. */
export const openToRead = (file: string): Connection | undefined => {
  if (!existsSync(file)) return undefined
  try {
    const connection = new Connection(file, { readOnly: true, busy_ms: HUB_BUSY_MS_MAX })
    if (formatOf(connection) === INDEX_FORMAT) return connection
    connection.close()
  } catch {}
  return undefined
}
