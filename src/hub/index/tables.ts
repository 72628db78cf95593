/** The index on disk: a SQLite file that any number of processes read and write at once. */

import { rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { TwotrackError } from '../../errors.ts'
import { makeFolder } from '../../files/disk.ts'
import { holdFile } from '../../files/lock.ts'
import { Connection, type Row } from '../../files/sqlite.ts'

/** Raised when the tables or what is computed of a file change: an index of another format is built anew. */
const INDEX_FORMAT = 5
/** How long to wait for another process that writes a batch, or that makes the index. */
const BUSY_MS_MAX = 5_000

/**
 * - `file`: what was last seen of each file (`FileRow`). `linked` is 0 while the calls and imports that leave it have to
 *   be followed again.
 * - `outline`: its nodes, compressed, and apart, so that a look at all files stays cheap.
 * - `link`: calls. `import`: imports. `need`: stems of the files that these depend on.
 * - `layout`: a digest of the settings that they were followed by.
 * - `made`: the file that the index was made as. One that came with a project is another file, and not believed.
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
  CREATE TABLE import (
    from_path TEXT NOT NULL, to_path TEXT NOT NULL, PRIMARY KEY (from_path, to_path)
  ) WITHOUT ROWID;
  CREATE INDEX import_to ON import(to_path);
  CREATE TABLE need (stem TEXT NOT NULL, path TEXT NOT NULL, PRIMARY KEY (stem, path)) WITHOUT ROWID;
  CREATE INDEX need_path ON need(path);
  CREATE TABLE layout (digest TEXT NOT NULL);
  CREATE TABLE made (file TEXT NOT NULL);
`

const identityOf = (file: string): string => String(file === '' ? 0 : statSync(file, { bigint: true }).ino)

/** That nothing is a view, a trigger or a table of other columns: a view that never ends would be asked as if it were a table. */
const hasOwnTables = (connection: Connection): boolean =>
  textOf(
    connection.all(`SELECT sql FROM sqlite_schema WHERE sql NOT NULL LIMIT ${STATEMENTS.length + 1}`),
  ) === STATEMENTS.map(plain).sort().join()

const STATEMENTS = SCHEMA.split(';').filter((sql) => sql.trim() !== '')
const plain = (sql: unknown): string => String(sql).replace(/\s+/g, '')
const textOf = (rows: readonly Row[]): string =>
  rows
    .map(({ sql }) => plain(sql))
    .sort()
    .join()

/** Undefined when the file is of no use: damaged, of another format, or not made here. */
const openUsable = (file: string): Connection | undefined => {
  let connection: Connection | undefined
  try {
    connection = new Connection(file, { busy_ms: BUSY_MS_MAX })
    connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
    const format = Number(connection.get('PRAGMA user_version')?.['user_version'] ?? 0)
    if (format === 0) {
      const made = `INSERT INTO made VALUES ('${identityOf(file)}');`
      connection.exec(`BEGIN; ${SCHEMA} ${made} PRAGMA user_version = ${INDEX_FORMAT}; COMMIT`)
      return connection
    }
    if (
      format === INDEX_FORMAT &&
      hasOwnTables(connection) &&
      connection.get('SELECT file FROM made')?.['file'] === identityOf(file)
    )
      return connection
  } catch (thrown) {
    if (!(thrown instanceof TwotrackError) || thrown.code !== 'damaged') throw thrown
  }
  connection?.close()
  return undefined
}

/**
 * What is of no use holds nothing that the code does not: it is made anew. `anew` says that damage was found. One process
 * at a time opens it, so that none opens what another is about to remove; who has it open goes on with the old file until
 * it notices. Without a file the index lives as long as it is open.
 */
export const openIndex = (file: string, anew: boolean): Connection => {
  if (file !== '') makeFolder(dirname(file))
  const lock = file === '' ? { release() {} } : holdFile(`${file}.lock`, BUSY_MS_MAX)
  if (lock === undefined)
    throw new TwotrackError('locked', `Another process is making the hub's index ${file}.`)
  try {
    const remove = () => {
      for (const ending of ['-wal', '-shm', '']) rmSync(file + ending, { force: true })
    }
    if (anew && file !== '') remove()
    const found = openUsable(file)
    if (found !== undefined) return found
    remove()
    const made = openUsable(file)
    if (made !== undefined) return made
    throw new TwotrackError('io', `The hub's index ${file} can't be made anew. Remove it.`)
  } finally {
    lock.release()
  }
}
