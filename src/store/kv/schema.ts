import { TwotrackError } from '../../errors.ts'
import type { Connection } from '../../files/sqlite.ts'
import { integer, text } from './row.ts'

/** Version of the tables. */
const KV_SCHEMA_VERSION = 2

/**
 * Keys and values, with the columns that AgentFS's table of that name has, so that its SDK reads them too; a file that it
 * made can be used. Events stand under `trace:`, the list of what there is of a node, run or operation under `index:`, a
 * row an entry.
 */
const keyTable = `
  CREATE TABLE IF NOT EXISTS kv_store (
    key TEXT PRIMARY KEY, value TEXT NOT NULL,
    created_at INTEGER DEFAULT (unixepoch()), updated_at INTEGER DEFAULT (unixepoch()));`

/**
 * What keys have no place for: `twotrack_event` is the order of a log's events, `twotrack_index` says which indexes are
 * complete. Agents' ids are encoded as in keys.
 */
const ownTables = `
  CREATE TABLE twotrack_schema (version INTEGER NOT NULL);
  INSERT INTO twotrack_schema VALUES (${KV_SCHEMA_VERSION});
  CREATE TABLE twotrack_event (
    agent TEXT NOT NULL, seq INTEGER NOT NULL, key TEXT NOT NULL, PRIMARY KEY (agent, seq)) WITHOUT ROWID;
  CREATE INDEX twotrack_first ON twotrack_event(agent) WHERE seq = 1;
  CREATE TABLE twotrack_index (name TEXT PRIMARY KEY);
  CREATE TABLE twotrack_blob (
    sha256 TEXT PRIMARY KEY, upload TEXT NOT NULL, bytes INTEGER NOT NULL, used_ms INTEGER NOT NULL);
  CREATE TABLE twotrack_chunk (
    upload TEXT NOT NULL, n INTEGER NOT NULL, data BLOB NOT NULL, sha256 TEXT NOT NULL,
    PRIMARY KEY (upload, n));`

/** Whether the tables are there. Throws for a file that is not ours to change. */
export function hasTables(connection: Connection): boolean {
  const names = connection.all(`SELECT name FROM sqlite_schema WHERE type = 'table'`)
  const tables = new Set(names.map((row) => text(row, 'name')))
  if (tables.size > 0 && !tables.has('kv_store'))
    throw new TwotrackError(
      'bad_argument',
      `${connection.file} is a SQLite database of something else: it has no table kv_store. Choose another file.`,
    )
  if (!tables.has('twotrack_schema')) return false
  const row = connection.get('SELECT version FROM twotrack_schema')
  if (!row) throw new TwotrackError('damaged', `${connection.file} does not say its schema's version.`)
  const version = integer(row, 'version')
  if (version === KV_SCHEMA_VERSION) return true
  throw new TwotrackError(
    version > KV_SCHEMA_VERSION ? 'newer_version' : 'bad_argument',
    `${connection.file} has schema ${version} of twotrack; this one knows ${KV_SCHEMA_VERSION}. ` +
      (version > KV_SCHEMA_VERSION ? 'Upgrade twotrack.' : 'Choose another file.'),
    { details: { version, known: KV_SCHEMA_VERSION } },
  )
}

/** Makes the missing tables; to be called in a transaction. */
export function createTables(connection: Connection): void {
  if (hasTables(connection)) return
  connection.exec(keyTable)
  connection.exec(ownTables)
}
