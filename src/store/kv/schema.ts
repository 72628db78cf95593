import { TwotrackError } from '../../errors.ts'
import type { Connection } from '../../files/sqlite.ts'
import { integer, text } from './row.ts'

/** Version of the `twotrack_` tables. */
const KV_SCHEMA_VERSION = 1
/** Version of AgentFS's tables that are created here; files of older ones are used as they are. */
const AGENTFS_VERSION = '0.4'
const AGENTFS_CHUNK_BYTES = 4096
const ROOT_FOLDER_MODE = 0o040755

/** AgentFS's tables, as its SDK defines them: column for column, or the SDK can't use the file. */
const agentfsTables = `
  CREATE TABLE IF NOT EXISTS kv_store (
    key TEXT PRIMARY KEY, value TEXT NOT NULL,
    created_at INTEGER DEFAULT (unixepoch()), updated_at INTEGER DEFAULT (unixepoch()));
  CREATE INDEX IF NOT EXISTS idx_kv_store_created_at ON kv_store(created_at);
  CREATE TABLE IF NOT EXISTS tool_calls (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, parameters TEXT, result TEXT, error TEXT,
    status TEXT NOT NULL DEFAULT 'pending', started_at INTEGER NOT NULL, completed_at INTEGER,
    duration_ms INTEGER);
  CREATE INDEX IF NOT EXISTS idx_tool_calls_name ON tool_calls(name);
  CREATE INDEX IF NOT EXISTS idx_tool_calls_started_at ON tool_calls(started_at);`

const agentfsFileTables = `
  CREATE TABLE fs_config (key TEXT PRIMARY KEY, value TEXT NOT NULL);
  CREATE TABLE fs_inode (
    ino INTEGER PRIMARY KEY AUTOINCREMENT, mode INTEGER NOT NULL, nlink INTEGER NOT NULL DEFAULT 0,
    uid INTEGER NOT NULL DEFAULT 0, gid INTEGER NOT NULL DEFAULT 0, size INTEGER NOT NULL DEFAULT 0,
    atime INTEGER NOT NULL, mtime INTEGER NOT NULL, ctime INTEGER NOT NULL, rdev INTEGER NOT NULL DEFAULT 0,
    atime_nsec INTEGER NOT NULL DEFAULT 0, mtime_nsec INTEGER NOT NULL DEFAULT 0,
    ctime_nsec INTEGER NOT NULL DEFAULT 0);
  CREATE TABLE fs_dentry (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, parent_ino INTEGER NOT NULL,
    ino INTEGER NOT NULL, UNIQUE(parent_ino, name));
  CREATE INDEX idx_fs_dentry_parent ON fs_dentry(parent_ino, name);
  CREATE TABLE fs_data (
    ino INTEGER NOT NULL, chunk_index INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (ino, chunk_index));
  CREATE TABLE fs_symlink (ino INTEGER PRIMARY KEY, target TEXT NOT NULL);
  INSERT INTO fs_config VALUES ('chunk_size', '${AGENTFS_CHUNK_BYTES}'), ('schema_version', '${AGENTFS_VERSION}');
  INSERT INTO fs_inode (ino, mode, nlink, atime, mtime, ctime)
    VALUES (1, ${ROOT_FOLDER_MODE}, 1, unixepoch(), unixepoch(), unixepoch());`

/**
 * What AgentFS has no place for. `twotrack_event` gives a log's rows of kv_store their order; `twotrack_log`
 * says how far a log goes (so a missing end is noticed) and who writes it; `twotrack_call` which events a row
 * of tool_calls came from; `twotrack_index` which indexes are complete; `twotrack_blob` when a blob was last stored or
 * asked for; `twotrack_archive` has the lines of a log that nobody writes, compressed, in place of its rows of kv_store.
 * Ids are encoded as in keys.
 */
const ownTables = `
  CREATE TABLE twotrack_schema (version INTEGER NOT NULL);
  INSERT INTO twotrack_schema VALUES (${KV_SCHEMA_VERSION});
  CREATE TABLE twotrack_log (
    log INTEGER PRIMARY KEY AUTOINCREMENT, agent TEXT NOT NULL UNIQUE, seq INTEGER NOT NULL,
    hash TEXT NOT NULL, owner TEXT);
  CREATE TABLE twotrack_event (
    log INTEGER NOT NULL, seq INTEGER NOT NULL, key TEXT NOT NULL, PRIMARY KEY (log, seq)) WITHOUT ROWID;
  CREATE TABLE twotrack_call (
    log INTEGER NOT NULL, seq INTEGER NOT NULL, call TEXT NOT NULL, id INTEGER NOT NULL,
    result_seq INTEGER, PRIMARY KEY (log, seq)) WITHOUT ROWID;
  CREATE INDEX twotrack_call_open ON twotrack_call(log, call, seq) WHERE result_seq IS NULL;
  CREATE TABLE twotrack_index (name TEXT PRIMARY KEY);
  CREATE TABLE twotrack_blob (
    blob INTEGER PRIMARY KEY AUTOINCREMENT, sha256 TEXT UNIQUE, bytes INTEGER NOT NULL, owner TEXT,
    used_ms INTEGER);
  CREATE TABLE twotrack_chunk (
    blob INTEGER NOT NULL, n INTEGER NOT NULL, data BLOB NOT NULL, sha256 TEXT NOT NULL,
    PRIMARY KEY (blob, n));
  CREATE TABLE twotrack_archive (
    log INTEGER PRIMARY KEY, bytes INTEGER NOT NULL, data BLOB NOT NULL, sha256 TEXT NOT NULL);`

/** `empty` and `agentfs` have no logs yet; `twotrack` is ready. Throws for a file that is not ours to change. */
export function inspect(connection: Connection): 'empty' | 'agentfs' | 'twotrack' {
  const names = connection.all(`SELECT name FROM sqlite_schema WHERE type = 'table'`)
  const tables = new Set(names.map((row) => text(row, 'name')))
  if (tables.size === 0) return 'empty'
  if (!tables.has('kv_store') && !tables.has('fs_config') && !tables.has('twotrack_schema')) {
    throw new TwotrackError(
      'bad_argument',
      `${connection.file} is a SQLite database of something else: it has no table kv_store. Choose another file.`,
    )
  }
  if (tables.has('fs_config')) checkAgentfsVersion(connection)
  if (!tables.has('twotrack_schema')) return 'agentfs'
  const version = connection.get('SELECT version FROM twotrack_schema')
  if (!version) throw new TwotrackError('damaged', `${connection.file} does not say its schema's version.`)
  refuseNewer(connection, 'twotrack', String(integer(version, 'version')), String(KV_SCHEMA_VERSION))
  return 'twotrack'
}

function checkAgentfsVersion(connection: Connection): void {
  const row = connection.get(`SELECT value FROM fs_config WHERE key = 'schema_version'`)
  if (row) refuseNewer(connection, 'AgentFS', text(row, 'value'), AGENTFS_VERSION)
}

function refuseNewer(connection: Connection, whose: string, version: string, known: string): void {
  // Numeric, so that 0.10 comes after 0.4.
  if (version.localeCompare(known, 'en', { numeric: true }) <= 0) return
  throw new TwotrackError(
    'newer_version',
    `${connection.file} has ${whose} schema ${version}; this twotrack knows up to ${known}. Upgrade twotrack.`,
    { details: { version, known } },
  )
}

/** Makes the missing tables; to be called in a transaction. */
export function createTables(connection: Connection): void {
  if (inspect(connection) === 'twotrack') return
  const files = connection.get(`SELECT 1 FROM sqlite_schema WHERE name = 'fs_config'`)
  connection.exec(agentfsTables)
  if (!files) connection.exec(agentfsFileTables)
  connection.exec(ownTables)
}
