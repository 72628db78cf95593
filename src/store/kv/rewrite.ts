import { TwotrackError } from '../../errors.ts'
import { open, toEvent } from '../../event/line.ts'
import type { Connection } from '../../files/sqlite.ts'
import { sha256 } from '../../sha256.ts'
import { assertSameHeader } from '../same-header.ts'
import type { LogWriter } from '../store.ts'
import { recordCallAgain } from './calls.ts'
import { bytes, text } from './row.ts'

/** Replaces lines of a log, and what AgentFS's tables say of them; to be called in a transaction. */
export function rewriteLog(
  connection: Connection,
  log: number,
  owner: string,
  change: Parameters<LogWriter['rewrite']>[0],
): number {
  if (!connection.get('SELECT 1 FROM twotrack_log WHERE log = ? AND owner = ?', log, owner))
    throw new TwotrackError('locked', 'The log was taken over by another writer. Open it again.')
  let changed = 0
  const keys = connection.all('SELECT key FROM twotrack_event WHERE log = ? ORDER BY seq', log)
  for (const { key } of keys) {
    const row = connection.get(
      'SELECT key, CAST(value AS BLOB) AS line FROM kv_store WHERE key = ?',
      key ?? null,
    )
    if (!row) throw new TwotrackError('damaged', `The row ${String(key)} of kv_store is missing.`)
    const line = bytes(row, 'line')
    const opened = open(line, sha256)
    const after = change(line, opened)
    if (after === line) continue
    assertSameHeader(opened, after)
    connection.run(
      'UPDATE kv_store SET value = ? WHERE key = ?',
      Buffer.from(after).toString(),
      text(row, 'key'),
    )
    recordCallAgain(connection, log, toEvent(open(after, sha256)))
    changed++
  }
  return changed
}
