/** The index on disk: a SQLite file with one writer, the hub, and any number of readers. */

import { mkdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { messageOf, TwotrackError } from '../../errors.ts'
import { HUB_BUSY_MS_MAX } from '../../limits.ts'

/** Raised when the tables or what is computed of a file change: an index of another format is built anew. */
const INDEX_FORMAT = 2

/**
 * - `file`: what was last seen of each file. `parsed`: its content of now could be parsed; `good`: its nodes are of a
 *   content that could. `linked` is 0 while the calls that leave it have to be followed again.
 * - `outline`: its nodes, compressed, and apart, so that a look at all files stays cheap.
 * - `link`: calls. `need`: stems of the files that a file's links depend on.
 */
const SCHEMA = `
  CREATE TABLE file (
    path TEXT PRIMARY KEY, mtime_ms REAL NOT NULL, ctime_ms REAL NOT NULL, size INTEGER NOT NULL,
    seen_ms REAL NOT NULL, hash TEXT NOT NULL, parsed INTEGER NOT NULL, good INTEGER NOT NULL,
    shape TEXT NOT NULL, linked INTEGER NOT NULL, nodes INTEGER NOT NULL
  ) WITHOUT ROWID;
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

const formatOf = (database: DatabaseSync): number =>
  Number(database.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0)

const openFile = (file: string, readOnly: boolean): DatabaseSync => {
  const database = new DatabaseSync(file, { readOnly, timeout: HUB_BUSY_MS_MAX })
  try {
    if (!readOnly) database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
    formatOf(database)
    return database
  } catch (thrown) {
    database.close()
    throw thrown
  }
}

const removeFile = (file: string) => {
  for (const ending of ['', '-wal', '-shm']) rmSync(file + ending, { force: true })
}

const isDamage = (thrown: unknown): boolean => /not a database|malformed|corrupt/i.test(messageOf(thrown))

/** Undefined when the file is of no use: damaged, or of another format. */
const openUsable = (file: string, check: boolean): DatabaseSync | undefined => {
  try {
    const database = openFile(file, false)
    const format = formatOf(database)
    const isSound = !check || database.prepare('PRAGMA quick_check(1)').get()?.['quick_check'] === 'ok'
    if (isSound && (format === 0 || format === INDEX_FORMAT)) return database
    database.close()
  } catch (thrown) {
    if (!isDamage(thrown)) throw thrown
  }
  return undefined
}

/**
 * For the one writer. What is of no use holds nothing that the code does not: it is made anew. `check` looks for damage
 * that only shows later; worth its time after a crash.
 */
export const openToWrite = (file: string, check = false): DatabaseSync => {
  try {
    mkdirSync(dirname(file), { recursive: true })
    let database = openUsable(file, check)
    if (database === undefined) {
      removeFile(file)
      database = openFile(file, false)
    }
    if (formatOf(database) === 0)
      database.exec(`BEGIN; ${SCHEMA} PRAGMA user_version = ${INDEX_FORMAT}; COMMIT`)
    return database
  } catch (cause) {
    throw new TwotrackError('io', `The hub's index ${file} can't be opened (${messageOf(cause)}).`, { cause })
  }
}

/** Undefined when there is none that can be read. */
export const openToRead = (file: string): DatabaseSync | undefined => {
  try {
    const database = openFile(file, true)
    if (formatOf(database) === INDEX_FORMAT) return database
    database.close()
  } catch {}
  return undefined
}
