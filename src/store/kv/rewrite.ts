import { TwotrackError } from '../../errors.ts'
import { open, type Sealed, toEvent } from '../../event/line.ts'
import type { Connection } from '../../files/sqlite.ts'
import { sha256 } from '../../sha256.ts'
import { assertSameHeader, resealing } from '../replace-lines.ts'
import type { Head, LogWriter } from '../store.ts'
import { recordCallAgain } from './calls.ts'
import { bytes, text } from './row.ts'

/** Replaces lines of a log, and what AgentFS's tables say of them; to be called in a transaction. */
export function rewriteLog(
  connection: Connection,
  log: number,
  owner: string,
  change: Parameters<LogWriter['rewrite']>[0],
): number {
  assertOwner(connection, log, owner)
  let changed = 0
  for (const { key, line } of linesOf(connection, log)) {
    const opened = open(line, sha256)
    const after = change(line, opened)
    if (after === line) continue
    assertSameHeader(opened, after)
    replaceLine(connection, log, key, Buffer.from(after).toString())
    changed++
  }
  return changed
}

/** Writes every line anew, in a chain of their own; to be called in a transaction. Gives the events to be appended. */
export function resealLog(
  connection: Connection,
  log: number,
  owner: string,
  agentId: string,
  steps: Parameters<LogWriter['reseal']>,
): { head: Head; added: readonly Sealed[] } {
  assertOwner(connection, log, owner)
  const anew = resealing(agentId, steps)
  for (const { key, line } of linesOf(connection, log))
    replaceLine(connection, log, key, anew.next(open(line, sha256)).line)
  const head = anew.head()
  connection.run('UPDATE twotrack_log SET hash = ? WHERE log = ?', head.hash, log)
  return { head, added: anew.end() }
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

function replaceLine(connection: Connection, log: number, key: string, line: string): void {
  connection.run('UPDATE kv_store SET value = ? WHERE key = ?', line, key)
  recordCallAgain(connection, log, toEvent(open(Buffer.from(line), sha256)))
}
