import type { Event } from '../../core/event/event.ts'
import { canonical } from '../../core/event/json.ts'
import { entryOf } from '../../core/store/log-entry.ts'
import { type IndexName, indexNames, type LogEntry } from '../../core/store/store.ts'
import { TwotrackError } from '../../errors.ts'
import type { Connection } from '../../files/sqlite.ts'
import { afterPrefix, indexKey, indexPrefix } from './key.ts'
import { allLogs, type LogRow, readEvents } from './read.ts'
import { text } from './row.ts'

/** Which field of a log an index is by. */
const indexedField = { node: 'node_id', run: 'run_id', operation: 'operation' } as const

/** The row of a log in an index, for who reads the file with other programs. `list` and `check` ask the logs themselves. */
export const indexRow = (index: IndexName, entry: LogEntry): { key: string; value: string } => ({
  key: indexKey(index, entry[indexedField[index]], entry.agent_id),
  value: canonical({ ...entry }),
})

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
  for (const log of allLogs(connection))
    try {
      const entry = entryOfLog(connection, log)
      if (entry) for (const index of missing) putIndexRow(connection, index, entry)
    } catch (thrown) {
      // A log whose first event is damaged can't be indexed; `check` and every reader of it say so.
      if (!(thrown instanceof TwotrackError) || thrown.code !== 'damaged') throw thrown
    }
  for (const index of missing) connection.run('INSERT OR IGNORE INTO twotrack_index VALUES (?)', index)
}

/** A log's entry from its first event; undefined before there is one. */
export function entryOfLog(connection: Connection, log: LogRow): LogEntry | undefined {
  const [first] = readEvents(connection, log, 1, 1, undefined, false)
  return first && entryOf(first.header)
}
