import { isDeepStrictEqual } from 'node:util'
import { TwotrackError } from '../../errors.ts'
import type { Event } from '../../event/event.ts'
import { canonical, isObject, tryParse } from '../../event/json.ts'
import type { Connection } from '../../files/sqlite.ts'
import { sha256 } from '../../sha256.ts'
import { entryOf, parseEntry } from '../log-entry.ts'
import { type IndexName, indexNames, type LogEntry, type LogFilter } from '../store.ts'
import { afterPrefix, indexKey, indexPrefix } from './key.ts'
import { allLogs, findLog, type LogRow, readEvents } from './read.ts'
import { bytes, text } from './row.ts'

/** Which field of a log an index is by. */
const indexedField = { node: 'node_id', run: 'run_id', operation: 'operation' } as const

/** The row of a log in an index: the entry, and a checksum over it and its key. One spelling, so each bit counts. */
export function indexRow(index: IndexName, entry: LogEntry): { key: string; value: string } {
  const key = indexKey(index, entry[indexedField[index]], entry.agent_id)
  const checksum = sha256(`${key}\n${canonical({ ...entry })}`)
  return { key, value: canonical({ entry: { ...entry }, sha256: checksum }) }
}

/** Reads an index row; undefined when any of it is damaged. */
function parseIndexRow(index: IndexName, key: string, value: Uint8Array): LogEntry | undefined {
  const parsed = tryParse(Buffer.from(value).toString())
  const entry = isObject(parsed) ? parseEntry(parsed['entry']) : undefined
  const expected = entry && indexRow(index, entry)
  return expected?.key === key && Buffer.from(expected.value).equals(value) ? entry : undefined
}

/** Adds a log to the indexes that this file keeps, when its first event is appended. */
export function indexLog(connection: Connection, first: Event): void {
  for (const index of existingIndexes(connection)) putIndexRow(connection, index, entryOf(first))
}

function putIndexRow(connection: Connection, index: IndexName, entry: LogEntry): void {
  const { key, value } = indexRow(index, entry)
  connection.run('INSERT OR REPLACE INTO kv_store (key, value) VALUES (?, ?)', key, value)
}

/** The indexes that hold every log of this file. All its writers keep these, whatever each was configured with. */
export function existingIndexes(connection: Connection): IndexName[] {
  const existing = new Set(connection.all('SELECT name FROM twotrack_index').map((row) => text(row, 'name')))
  return indexNames.filter((name) => existing.has(name))
}

/** Makes the file's indexes those that are wanted: builds new ones from the logs, drops the others. */
export function keepIndexes(connection: Connection, wanted: readonly IndexName[]): void {
  const existing = existingIndexes(connection)
  for (const index of existing.filter((name) => !wanted.includes(name))) {
    const prefix = indexPrefix(index)
    connection.run('DELETE FROM kv_store WHERE key >= ? AND key < ?', prefix, afterPrefix(prefix))
    connection.run('DELETE FROM twotrack_index WHERE name = ?', index)
  }
  const missing = wanted.filter((name) => !existing.includes(name))
  if (missing.length === 0) return
  for (const log of allLogs(connection)) {
    // A log whose first event is damaged can't be indexed; `check` and every reader of it say so.
    const entry = orUndefined(() => entryOfLog(connection, log))
    if (entry) for (const index of missing) putIndexRow(connection, index, entry)
  }
  for (const index of missing) connection.run('INSERT OR IGNORE INTO twotrack_index VALUES (?)', index)
}

/** A log's entry from its first event; undefined before there is one. */
export function entryOfLog(connection: Connection, log: LogRow): LogEntry | undefined {
  const [first] = readEvents(connection, log, 1, 1)
  return first && entryOf(first.header)
}

function orUndefined<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (thrown) {
    if (thrown instanceof TwotrackError && thrown.code === 'damaged') return undefined
    throw thrown
  }
}

/** Logs by the index that fits the filter best; without one, by reading the beginning of every log. */
export function findEntries(connection: Connection, filter: LogFilter): LogEntry[] {
  const existing = existingIndexes(connection)
  const index = existing.find((name) => filter[indexedField[name]] !== undefined) ?? existing[0]
  if (index) return indexed(connection, index, filter[indexedField[index]])
  return allLogs(connection).flatMap((log) => entryOfLog(connection, log) ?? [])
}

/** An index is believed as far as the first event of the log says the same. */
function isTrue(connection: Connection, entry: LogEntry): boolean {
  const log = findLog(connection, entry.agent_id)
  return log !== undefined && isDeepStrictEqual(entryOfLog(connection, log), entry)
}

function indexed(connection: Connection, index: IndexName, id: string | undefined): LogEntry[] {
  const prefix = indexPrefix(index, id)
  const rows = connection.all(
    'SELECT key, CAST(value AS BLOB) AS value FROM kv_store WHERE key >= ? AND key < ?',
    prefix,
    afterPrefix(prefix),
  )
  return rows.map((row) => {
    const key = text(row, 'key')
    const entry = parseIndexRow(index, key, bytes(row, 'value'))
    if (!entry || !isTrue(connection, entry)) {
      throw new TwotrackError(
        'damaged',
        `The index row ${key} is damaged, or says something else than its log. The logs count: open the store without the index ${index}, then with it, to build it anew.`,
        { details: { row: key } },
      )
    }
    return entry
  })
}
