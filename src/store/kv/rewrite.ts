import { TwotrackError } from '../../errors.ts'
import { open, type Sealed, toEvent } from '../../event/line.ts'
import type { Connection } from '../../files/sqlite.ts'
import { sha256 } from '../../sha256.ts'
import { rewriting } from '../rewriting.ts'
import type { LogWriter } from '../store.ts'
import { recordCallAgain } from './calls.ts'
import { bytes, text } from './row.ts'

/** Replaces lines of a log, and what AgentFS's tables say of them; to be called in a transaction. Gives what is to be appended. */
export function rewriteLog(
  connection: Connection,
  log: number,
  owner: string,
  agentId: string,
  steps: Parameters<LogWriter['rewrite']>,
): readonly Sealed[] {
  assertOwner(connection, log, owner)
  const anew = rewriting(agentId, steps)
  for (const { key, line } of linesOf(connection, log)) {
    const after = anew.next(line, open(line, sha256))
    if (after !== line) replaceLine(connection, log, key, after)
  }
  connection.run('UPDATE twotrack_log SET hash = ? WHERE log = ?', anew.head().hash, log)
  return anew.end()
}

function assertOwner(connection: Connection, log: number, owner: string): void {
  if (!connection.get('SELECT 1 FROM twotrack_log WHERE log = ? AND owner = ?', log, owner))
    throw new TwotrackError('locked', 'The log was taken over by another writer. Open it again.')
}

function* linesOf(connection: Connection, log: number): Generator<{ key: string; line: Uint8Array }> {
  for (const { key } of connection.all('SELECT key FROM twotrack_event WHERE log = ? ORDER BY seq', log)) {
    const row = connection.get(
      'SELECT key, CAST(value AS BLOB) AS line FROM kv_store WHERE key = ?',
      key ?? null,
    )
    if (!row) throw new TwotrackError('damaged', `The row ${String(key)} of kv_store is missing.`)
    yield { key: text(row, 'key'), line: bytes(row, 'line') }
  }
}

function replaceLine(connection: Connection, log: number, key: string, line: Uint8Array): void {
  connection.run('UPDATE kv_store SET value = ? WHERE key = ?', Buffer.from(line).toString(), key)
  recordCallAgain(connection, log, toEvent(open(line, sha256)))
}
