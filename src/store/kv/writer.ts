import { TwotrackError } from '../../errors.ts'
import { GENESIS } from '../../event/event.ts'
import type { Sealed } from '../../event/line.ts'
import { parseOwner } from '../../files/owner.ts'
import { follow } from '../follow.ts'
import type { Head, LogWriter } from '../store.ts'
import { recordCall } from './calls.ts'
import type { Connection } from './connection.ts'
import type { Database } from './database.ts'
import { indexLog } from './index-rows.ts'
import { encodeKeyPart, traceKey } from './key.ts'
import type { Owners } from './owner.ts'
import { findLog, pages } from './read.ts'

/** The one writer of a log: its lock is the owner in the log's row, and every append checks that it still is. */
export class KvWriter implements LogWriter {
  readonly #database: Database
  readonly #agentId: string
  readonly #owner: string
  readonly #log: number
  #head: Head
  /** The head once everything that waits is committed. */
  #planned: Head
  #failure: unknown
  #closed = false

  private constructor(database: Database, agentId: string, owner: string, log: number, head: Head) {
    this.#database = database
    this.#agentId = agentId
    this.#owner = owner
    this.#log = log
    this.#head = head
    this.#planned = head
  }

  static async open(database: Database, agentId: string, owners: Owners): Promise<KvWriter> {
    const { log, head } = await database.commit((connection) => takeLock(connection, agentId, owners))
    return new KvWriter(database, agentId, owners.self, log, head)
  }

  get head(): Head {
    return this.#head
  }

  async append(events: readonly Sealed[], expectedSeq: number): Promise<void> {
    this.#assertUsable()
    const head = follow(this.#agentId, this.#planned, events, expectedSeq)
    if (events.length === 0) return
    this.#planned = head
    try {
      await this.#database.commit((connection) => this.#insert(connection, events, expectedSeq, head))
      this.#head = head
    } catch (thrown) {
      this.#failure ??= thrown
      throw thrown
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    if (this.#database.closed) return
    await this.#database.commit((connection) =>
      connection.run(
        'UPDATE twotrack_log SET owner = NULL WHERE log = ? AND owner = ?',
        this.#log,
        this.#owner,
      ),
    )
  }

  #insert(connection: Connection, events: readonly Sealed[], expectedSeq: number, head: Head): void {
    // An append that waited behind one that failed must fail too, or it would leave a gap.
    if (this.#failure) throw this.#failure
    const moved = connection.run(
      'UPDATE twotrack_log SET seq = ?, hash = ? WHERE log = ? AND owner = ? AND seq = ?',
      head.seq,
      head.hash,
      this.#log,
      this.#owner,
      expectedSeq,
    )
    if (moved !== 1) {
      this.#failure = new TwotrackError(
        'locked',
        `Log ${this.#agentId} was taken over by another writer while this one stood still. Open it again.`,
      )
      throw this.#failure
    }
    try {
      for (const { event, line } of events) {
        const key = traceKey(event)
        connection.run('INSERT INTO kv_store (key, value) VALUES (?, ?)', key, line)
        connection.run('INSERT INTO twotrack_event VALUES (?, ?, ?)', this.#log, event.seq, key)
        if (event.seq === 1) indexLog(connection, event)
        recordCall(connection, this.#log, event)
      }
    } catch (thrown) {
      this.#failure = thrown
      throw thrown
    }
  }

  #assertUsable(): void {
    if (this.#closed || this.#database.closed) {
      throw new TwotrackError('closed', `The writer of log ${this.#agentId} is closed; open it again.`)
    }
    if (this.#failure) {
      throw new TwotrackError(
        'closed',
        `The writer of log ${this.#agentId} failed before; what is on disk is whole. Open it again.`,
        { cause: this.#failure },
      )
    }
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
  if (found) {
    connection.run('UPDATE twotrack_log SET owner = ? WHERE log = ?', owners.self, found.log)
    owners.hold()
    // Reads the last event, so that nothing is ever appended to a damaged end.
    for (const _ of pages(connection, found, found.head.seq, found.head.seq));
    return found
  }
  connection.run(
    'INSERT INTO twotrack_log (agent, seq, hash, owner) VALUES (?, 0, ?, ?)',
    encodeKeyPart(agentId),
    GENESIS,
    owners.self,
  )
  owners.hold()
  const made = findLog(connection, agentId)
  if (!made) throw new TwotrackError('io', `The log ${agentId} could not be created.`)
  return made
}

/** Gives up every lock that a store still holds. */
export const releaseLocks = (connection: Connection, owner: string): number =>
  connection.run('UPDATE twotrack_log SET owner = NULL WHERE owner = ?', owner)
