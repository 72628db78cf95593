import { type IndexName, indexNames } from '../../core/store/store.ts'
import type { Connection } from '../../files/sqlite.ts'
import { indexRow } from './key.ts'
import { text } from './row.ts'

/** Adds an event to the indexes that the file keeps, for who reads it with other programs. `list` asks the logs. */
export function indexEvent(connection: Connection, indexes: readonly IndexName[], key: string): void {
  for (const index of indexes) {
    const { key: indexKey, value } = indexRow(index, key)
    connection.run('INSERT OR IGNORE INTO kv_store (key, value) VALUES (?, ?)', indexKey, value)
  }
}

/** The indexes that hold every log of this file. All its writers keep these, whatever each was configured with. */
export function existingIndexes(connection: Connection): IndexName[] {
  const existing = new Set(connection.all('SELECT name FROM twotrack_index').map((row) => text(row, 'name')))
  return indexNames.filter((name) => existing.has(name))
}

/** Makes the file's indexes those that are wanted: builds new ones from the keys of events, drops the others. */
export function keepIndexes(connection: Connection, wanted: readonly IndexName[]): void {
  const existing = existingIndexes(connection)
  for (const index of existing.filter((name) => !wanted.includes(name))) {
    connection.run(`DELETE FROM kv_store WHERE key >= 'index:${index}:' AND key < 'index:${index};'`)
    connection.run('DELETE FROM twotrack_index WHERE name = ?', index)
  }
  const missing = wanted.filter((name) => !existing.includes(name))
  if (missing.length === 0) return
  for (const row of connection.all('SELECT key FROM twotrack_event'))
    indexEvent(connection, missing, text(row, 'key'))
  for (const index of missing) connection.run('INSERT OR IGNORE INTO twotrack_index VALUES (?)', index)
}
