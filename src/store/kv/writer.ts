import { GENESIS } from '../../core/event/event.ts'
import { open, type Sealed, toEvent } from '../../core/event/line.ts'
import { closedWriter, endingAt, follow, rewriting } from '../../core/store/follow.ts'
import type { Head, LogWriter } from '../../core/store/store.ts'
import { TwotrackError } from '../../errors.ts'
import { parseOwner } from '../../files/lock.ts'
import type { Connection } from '../../files/sqlite.ts'
import { sha256 } from '../../sha256.ts'
import { unpackLog } from './archive.ts'
import { recordCall, recordCallAgain } from './calls.ts'
import type { Database } from './database.ts'
import { indexLog } from './index-rows.ts'
import { encodeKeyPart, traceKey } from './key.ts'
import type { Owners } from './owner.ts'
import { checkEnd, findLog } from './read.ts'
import { bytes, text } from './row.ts'

/** The one writer of a log: its lock is the owner in the log's row, and every append checks that it still is. */
export async function openWriter(database: Database, agentId: string, owners: Owners): Promise<LogWriter> {
  const opened = await database.commit((connection) => takeLock(connection, agentId, owners))
  const { log } = opened
  let { head } = opened
  /** The head once everything that waits is committed. */
  let planned = head
  let failure: unknown
  let closed = false

  const insert = (connection: Connection, events: readonly Sealed[], expectedSeq: number, next: Head) => {
    // An append that waited behind one that failed must fail too, or it would leave a gap.
    if (failure) throw failure
    try {
      const move = 'UPDATE twotrack_log SET seq = ?, hash = ? WHERE log = ? AND owner = ? AND seq = ?'
      if (connection.run(move, next.seq, next.hash, log, owners.self, expectedSeq) !== 1) {
        throw new TwotrackError(
          'locked',
          `Log ${agentId} was taken over by another writer while this one stood still. Open it again.`,
        )
      }
      for (const { event, line } of events) {
        const key = traceKey(event)
        connection.run('INSERT INTO kv_store (key, value) VALUES (?, ?)', key, line)
        connection.run('INSERT INTO twotrack_event VALUES (?, ?, ?)', log, event.seq, key)
        if (event.seq === 1) indexLog(connection, event)
        recordCall(connection, log, event)
      }
    } catch (thrown) {
      failure = thrown
      throw thrown
    }
  }

  const assertOpen = () => {
    if (closed || database.closed) throw closedWriter(agentId)
  }

  return {
    get head() {
      return planned
    },

    async append(events, expectedSeq) {
      assertOpen()
      if (failure) {
        const message = `The writer of log ${agentId} failed before; what is on disk is whole. Open it again.`
        throw new TwotrackError('closed', message, { cause: failure })
      }
      const next = follow(agentId, planned, events, expectedSeq)
      if (events.length === 0) return
      planned = next
      try {
        await database.commit((connection) => insert(connection, events, expectedSeq, next))
        head = next
      } catch (thrown) {
        failure ??= thrown
        throw thrown instanceof TwotrackError ? endingAt(head.seq, thrown) : thrown
      }
    },

    async rewrite(...steps) {
      assertOpen()
      await database.commit((connection) => {
        const added = rewriteLog(connection, log, owners.self, agentId, steps)
        const next = added.at(-1)?.event ?? head
        if (added.length > 0) insert(connection, added, head.seq, next)
        head = findLog(connection, agentId)?.head ?? head
      })
      planned = head
    },

    async close() {
      if (closed) return
      closed = true
      if (database.closed) return
      const release = 'UPDATE twotrack_log SET owner = NULL WHERE log = ? AND owner = ?'
      await database.commit((connection) => connection.run(release, log, owners.self))
    },
  }
}

function takeLock(connection: Connection, agentId: string, owners: Owners): { log: number; head: Head } {
  const found = findLog(connection, agentId)
  if (found?.owner && owners.isAlive(found.owner)) {
    const pid = parseOwner(found.owner)?.pid
    throw new TwotrackError(
      'locked',
      `Log ${agentId} is being written by process ${pid}. Wait for it to end, or stop it.`,
      { details: { pid } },
    )
  }
  const take = `INSERT INTO twotrack_log (agent, seq, hash, owner) VALUES (?, 0, ?, ?)
    ON CONFLICT (agent) DO UPDATE SET owner = excluded.owner`
  connection.run(take, encodeKeyPart(agentId), GENESIS, owners.self)
  owners.hold()
  const taken = findLog(connection, agentId)
  if (!taken) throw new TwotrackError('io', `The log ${agentId} could not be created.`)
  unpackLog(connection, taken.log)
  checkEnd(connection, taken)
  return taken
}

/** Gives up every lock that a store still holds. */
export const releaseLocks = (connection: Connection, owner: string): number =>
  connection.run('UPDATE twotrack_log SET owner = NULL WHERE owner = ?', owner)

/** Replaces lines of a log, and what AgentFS's tables say of them; to be called in a transaction. Gives what is to be appended. */
function rewriteLog(
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
    const line = 'SELECT key, CAST(value AS BLOB) AS line FROM kv_store WHERE key = ?'
    const row = connection.get(line, key ?? null)
    if (!row) throw new TwotrackError('damaged', `The row ${String(key)} of kv_store is missing.`)
    yield { key: text(row, 'key'), line: bytes(row, 'line') }
  }
}

function replaceLine(connection: Connection, log: number, key: string, line: Uint8Array): void {
  connection.run('UPDATE kv_store SET value = ? WHERE key = ?', Buffer.from(line).toString(), key)
  recordCallAgain(connection, log, toEvent(open(line, sha256)))
}
