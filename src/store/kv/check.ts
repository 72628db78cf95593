import { messageOf } from '../../errors.ts'
import { type Finding, type IndexName, indexNames, type LogEntry } from '../store.ts'
import { readChunks, unfinishedBlobs } from './blobs.ts'
import { checkCalls } from './check-calls.ts'
import type { Connection } from './connection.ts'
import { entryOfLog, keptIndexes, keyOf, parseIndexRow } from './index-rows.ts'
import { afterPrefix } from './key.ts'
import { isAlive } from './owner.ts'
import { allLogs, type LogRow } from './read.ts'
import { bytes, integer, text } from './row.ts'
import { readSnapshot } from './snapshots.ts'

/** Everything that can be wrong with the file beside what readers of a log find themselves. */
export async function check(connection: Connection): Promise<Finding[]> {
  const pagesFound = checkPages(connection)
  // A file whose pages are damaged can't be trusted to answer queries: its other findings would mislead.
  if (pagesFound.length > 0) return pagesFound
  const logs = allLogs(connection)
  const findings = [...checkRows(connection), ...checkLocks(logs), ...checkIndexes(connection, logs)]
  for (const log of logs) findings.push(...(await checkCalls(connection, log)))
  return [...findings, ...checkBlobs(connection), ...checkSnapshots(connection)]
}

const error = (where: string, what: string): Finding => ({ level: 'error', what, where })
const warning = (where: string, what: string): Finding => ({ level: 'warning', what, where })

function checkPages(connection: Connection): Finding[] {
  const lines = connection.all('PRAGMA integrity_check').map((row) => text(row, 'integrity_check'))
  return lines.filter((line) => line !== 'ok').map((line) => error(connection.file, line))
}

/** Trace rows and the order kept of them must name each other. */
function* checkRows(connection: Connection): Generator<Finding> {
  const strays = connection.each(
    `SELECT key FROM kv_store WHERE key >= 'trace:' AND key < 'trace;'
     AND key NOT IN (SELECT key FROM twotrack_event)`,
  )
  for (const row of strays) yield error(text(row, 'key'), 'an event row that belongs to no log')
  const beyond = connection.each(
    `SELECT event.key FROM twotrack_event AS event LEFT JOIN twotrack_log USING (log)
     WHERE twotrack_log.seq IS NULL OR event.seq < 1 OR event.seq > twotrack_log.seq`,
  )
  for (const row of beyond) yield error(text(row, 'key'), 'an event row outside the range of its log')
}

function* checkLocks(logs: readonly LogRow[]): Generator<Finding> {
  for (const { agent, owner } of logs) {
    if (owner === null || isAlive(owner)) continue
    yield warning(agent, `a lock of a process that is gone (${owner}); the next writer takes it over`)
  }
}

function* checkIndexes(connection: Connection, logs: readonly LogRow[]): Generator<Finding> {
  const kept = keptIndexes(connection)
  const expected = new Map<string, LogEntry>()
  for (const log of logs) {
    let entry: LogEntry | undefined
    try {
      entry = entryOfLog(connection, log)
    } catch (thrown) {
      yield error(log.agent, messageOf(thrown))
    }
    if (entry) for (const index of kept) expected.set(keyOf(index, entry), entry)
  }
  for (const row of connection.each(
    `SELECT key, CAST(value AS BLOB) AS value FROM kv_store WHERE key >= 'index:' AND key < ?`,
    afterPrefix('index:'),
  )) {
    const key = text(row, 'key')
    const index = indexNames.find((name) => key.startsWith(`index:${name}:`))
    const reason = wrongIndexRow(index, key, bytes(row, 'value'), expected.get(key))
    if (reason) yield error(key, reason)
    expected.delete(key)
  }
  for (const key of expected.keys()) yield error(key, 'an index row is missing')
}

function wrongIndexRow(
  index: IndexName | undefined,
  key: string,
  value: Uint8Array,
  expected: LogEntry | undefined,
): string | undefined {
  const entry = index && parseIndexRow(index, key, value)
  if (!entry) return 'an index row is damaged'
  if (!expected) return 'an index row names a log that is not there'
  return entry.created === expected.created &&
    entry.run_id === expected.run_id &&
    entry.operation === expected.operation &&
    entry.node_id === expected.node_id
    ? undefined
    : 'an index row says something else than the first event of its log'
}

function* checkBlobs(connection: Connection): Generator<Finding> {
  for (const row of connection.all('SELECT blob, sha256 FROM twotrack_blob WHERE sha256 IS NOT NULL')) {
    const digest = text(row, 'sha256')
    try {
      for (const _ of readChunks(connection, digest));
    } catch (thrown) {
      yield error(digest, messageOf(thrown))
    }
  }
  for (const row of unfinishedBlobs(connection)) {
    yield warning(`blob ${integer(row, 'blob')}`, 'a blob was never finished; the next writer removes it')
  }
  const strays = connection.all(
    'SELECT DISTINCT blob FROM twotrack_chunk WHERE blob NOT IN (SELECT blob FROM twotrack_blob)',
  )
  for (const row of strays) yield error(`blob ${integer(row, 'blob')}`, 'chunks that belong to no blob')
}

function* checkSnapshots(connection: Connection): Generator<Finding> {
  for (const row of connection.each('SELECT * FROM twotrack_snapshot')) {
    if (readSnapshot(row)) continue
    yield warning(`${row['agent']} at ${row['seq']}`, 'a snapshot is damaged and will not be used')
  }
}
