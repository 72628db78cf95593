import type { Finding } from '../../core/store/store.ts'
import { messageOf } from '../../errors.ts'
import type { Connection } from '../../files/sqlite.ts'
import { readChunks, unfinishedBlobs } from './blobs.ts'
import { checkCalls } from './calls.ts'
import { entryOfLog, existingIndexes, indexRow } from './index-rows.ts'
import type { Owners } from './owner.ts'
import { allLogs, type LogRow } from './read.ts'
import { bytes, integer, text } from './row.ts'

/** Everything that can be wrong with the file beside what readers of a log find themselves. */
export async function check(connection: Connection, owners: Owners): Promise<Finding[]> {
  const pagesFound = checkPages(connection)
  // A file whose pages are damaged can't be trusted to answer queries: its other findings would mislead.
  if (pagesFound.length > 0) return pagesFound
  const logs = allLogs(connection)
  const findings = [...checkRows(connection), ...checkLocks(logs, owners), ...checkIndexes(connection, logs)]
  for (const log of logs) findings.push(...(await checkCalls(connection, log)))
  return [...findings, ...checkBlobs(connection, owners)]
}

const error = (where: string, what: string): Finding => ({ level: 'error', what, where })
const warning = (where: string, what: string): Finding => ({ level: 'warning', what, where })

function checkPages(connection: Connection): Finding[] {
  const lines = connection.all('PRAGMA integrity_check').map((row) => text(row, 'integrity_check'))
  return lines.filter((line) => line !== 'ok').map((line) => error(connection.file, line))
}

/** Trace rows and `twotrack_event`, which has their order, must name each other. */
function* checkRows(connection: Connection): Generator<Finding> {
  const strays = connection.all(
    `SELECT key FROM kv_store WHERE key >= 'trace:' AND key < 'trace;'
     AND key NOT IN (SELECT key FROM twotrack_event)`,
  )
  for (const row of strays) yield error(text(row, 'key'), 'an event row that belongs to no log')
  const beyond = connection.all(
    `SELECT event.key FROM twotrack_event AS event LEFT JOIN twotrack_log USING (log)
     WHERE twotrack_log.seq IS NULL OR event.seq < 1 OR event.seq > twotrack_log.seq`,
  )
  for (const row of beyond) yield error(text(row, 'key'), 'an event row outside the range of its log')
}

function* checkLocks(logs: readonly LogRow[], owners: Owners): Generator<Finding> {
  for (const { agent, owner } of logs) {
    if (owner === null || owners.isAlive(owner)) continue
    yield warning(agent, `a lock of a process that is gone (${owner}); the next writer takes it over`)
  }
}

function* checkIndexes(connection: Connection, logs: readonly LogRow[]): Generator<Finding> {
  const existing = existingIndexes(connection)
  const expected = new Map<string, string>()
  for (const log of logs) {
    try {
      const entry = entryOfLog(connection, log)
      for (const { key, value } of entry ? existing.map((index) => indexRow(index, entry)) : [])
        expected.set(key, value)
    } catch (thrown) {
      yield error(log.agent, messageOf(thrown))
    }
  }
  const rows = `SELECT key, CAST(value AS BLOB) AS value FROM kv_store WHERE key >= 'index:' AND key < 'index;'`
  for (const row of connection.all(rows)) {
    const key = text(row, 'key')
    const value = expected.get(key)
    if (value === undefined) yield error(key, 'an index row names a log that is not there')
    else if (!Buffer.from(value).equals(bytes(row, 'value')))
      yield error(key, 'an index row says something else than the first event of its log')
    expected.delete(key)
  }
  for (const key of expected.keys()) yield error(key, 'an index row is missing')
}

function* checkBlobs(connection: Connection, owners: Owners): Generator<Finding> {
  for (const row of connection.all('SELECT blob, sha256 FROM twotrack_blob WHERE sha256 IS NOT NULL')) {
    const digest = text(row, 'sha256')
    try {
      for (const _ of readChunks(connection, digest));
    } catch (thrown) {
      yield error(digest, messageOf(thrown))
    }
  }
  for (const row of unfinishedBlobs(connection, owners)) {
    yield warning(`blob ${integer(row, 'blob')}`, 'a blob was never finished; the next writer removes it')
  }
  const strays = connection.all(
    'SELECT DISTINCT blob FROM twotrack_chunk WHERE blob NOT IN (SELECT blob FROM twotrack_blob)',
  )
  for (const row of strays) yield error(`blob ${integer(row, 'blob')}`, 'chunks that belong to no blob')
}
