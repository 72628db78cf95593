import { closeSync, existsSync, fdatasync, openSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { Durability } from '../../core/store/store.ts'
import { TwotrackError } from '../../errors.ts'
import { diskError, makeFolder } from '../../files/disk.ts'
import { Connection, READ_ONLY, sqliteCode } from '../../files/sqlite.ts'
import { integer } from './row.ts'
import { createTables, hasTables } from './schema.ts'

/** How long is waited for a process that is writing to the same file. */
const BUSY_MS = 10_000
const AGAIN_MS = 20
/** With `READ_ONLY`, SQLite's code for a folder in which it may not create its side files. */
const CANNOT_OPEN = 14
/** A row that is there already: the one error that says nothing of the transaction. */
const CONSTRAINT = 19

const syncedData = promisify(fdatasync)

interface Job {
  /** Does its work in the transaction; what it returns is called once that is on disk. */
  run(connection: Connection): () => void
  reject(reason: unknown): void
}

/**
 * The file, opened when it is first needed: reading creates nothing, not even the file. Everything that is
 * written goes through `commit`, where all that waits shares one transaction and so one sync.
 *
 * Durability `always`: SQLite's write-ahead log is synced before a commit resolves. That is done here and not by SQLite,
 * which would sync the times of the file as well, and let nothing else go on meanwhile. `interval`: a commit is handed to
 * the system, which survives the end of the process but not a power cut; every `interval_ms` it is synced.
 */
export class Database {
  readonly #file: string
  readonly #durability: Durability
  readonly #prepare: (connection: Connection) => void
  #connection: Connection | undefined
  #ready: 'nothing' | 'reading' | 'writing' = 'nothing'
  #queue: Job[] = []
  #flushing: Promise<void> | undefined
  #log: number | undefined
  #checkpoint: NodeJS.Timeout | undefined
  #failedSync: unknown
  #commits = 0
  #closed = false

  /** `prepare` runs once, in a transaction, before the first write. */
  constructor(file: string, durability: Durability, prepare: (connection: Connection) => void) {
    this.#file = resolve(file)
    this.#durability = durability
    this.#prepare = prepare
  }

  get closed(): boolean {
    return this.#closed
  }

  /** For reading; undefined when nothing was ever written to this file. */
  reading(): Connection | undefined {
    this.#assertOpen()
    if (this.#ready !== 'nothing') return this.#connection
    if (!existsSync(this.#file)) return undefined
    const connection = this.#connected()
    if (!hasTables(connection)) return undefined
    this.#ready = 'reading'
    return connection
  }

  /** Runs `work` in a transaction with whatever else waits; resolves when it is committed. */
  commit<T>(work: (connection: Connection) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#assertOpen()
      const run = (connection: Connection) => {
        const value = work(connection)
        return () => resolve(value)
      }
      this.#queue.push({ run, reject })
      this.#flushing ??= this.#flushAll()
    })
  }

  /** Another text after any commit, of whatever process. */
  version(): string {
    const others = this.#closed ? undefined : this.reading()?.get('PRAGMA data_version')
    return `${this.#commits} ${others?.['data_version']}`
  }

  /** Gives free pages back, and empties SQLite's own log of changes: no byte of what was deleted is left. */
  async reclaim(): Promise<void> {
    await this.commit(() => {})
    const connection = this.#writing()
    const free = connection.get('PRAGMA freelist_count')
    if (free && integer(free, 'freelist_count') > 0) connection.exec('VACUUM')
    const done = connection.get('PRAGMA wal_checkpoint(TRUNCATE)')
    if (done?.['busy'] !== 0)
      throw new TwotrackError(
        'locked',
        `Another process is reading ${this.#file}: what was removed is still in its ${this.#file}-wal. Do the same again when that process is done.`,
      )
  }

  async close(): Promise<void> {
    if (this.#closed) return
    await this.#flushing
    if (this.#closed) return
    this.#closed = true
    clearTimeout(this.#checkpoint)
    if (this.#checkpoint) await this.#sync()
    if (this.#log !== undefined) closeSync(this.#log)
    this.#connection?.close()
    if (this.#failedSync) throw this.#failedSync
  }

  /** What comes while a transaction is synced goes into the next one. */
  async #flushAll(): Promise<void> {
    await setImmediate()
    while (this.#queue.length > 0) await this.#flush(this.#queue.splice(0))
    this.#flushing = undefined
  }

  async #flush(jobs: readonly Job[]): Promise<void> {
    let settled: (() => void)[]
    try {
      // What was handed to the system may be lost now: nothing more is accepted on top of it.
      if (this.#failedSync) throw this.#failedSync
      const connection = this.#writing()
      settled = connection.transaction(() => jobs.map((job) => runApart(connection, job)))
      this.#commits++
      if (this.#durability === 'always') await this.#sync()
      if (this.#failedSync) throw this.#failedSync
    } catch (thrown) {
      for (const job of jobs) job.reject(thrown)
      return
    }
    for (const settle of settled) settle()
    this.#planCheckpoint()
  }

  #writing(): Connection {
    if (this.#connection && this.#ready === 'writing') return this.#connection
    if (!existsSync(this.#file)) makeFolder(dirname(this.#file))
    const connection = this.#connected()
    hasTables(connection)
    useWriteAheadLog(connection)
    // What is deleted is overwritten.
    connection.exec('PRAGMA secure_delete = ON')
    connection.exec('PRAGMA synchronous = NORMAL')
    connection.transaction(() => {
      createTables(connection)
      // Says now that the file is read-only, and not at the first event.
      connection.run('DELETE FROM twotrack_index WHERE FALSE')
      this.#prepare(connection)
    })
    this.#ready = 'writing'
    return connection
  }

  #connected(): Connection {
    this.#connection ??= connect(this.#file)
    return this.#connection
  }

  #planCheckpoint(): void {
    if (this.#durability === 'always' || this.#checkpoint) return
    this.#checkpoint = setTimeout(() => {
      this.#checkpoint = undefined
      void this.#sync()
    }, this.#durability.interval_ms)
  }

  async #sync(): Promise<void> {
    try {
      this.#log ??= openSync(`${this.#file}-wal`, 'r+')
      await syncedData(this.#log)
      // For who copies the file alone.
      if (this.#durability !== 'always') this.#connection?.exec('PRAGMA wal_checkpoint(PASSIVE)')
    } catch (thrown) {
      this.#failedSync ??= diskError('sync', this.#file, thrown)
    }
  }

  #assertOpen(): void {
    if (this.#closed) throw new TwotrackError('closed', `The store ${this.#file} is closed; open it again.`)
  }
}

/** A file in a folder that can't be written leaves SQLite no place for its side files: it is read as it stands. */
function connect(file: string): Connection {
  try {
    return new Connection(file, { busy_ms: BUSY_MS })
  } catch (thrown) {
    const cause = thrown instanceof TwotrackError ? thrown.cause : thrown
    const code = sqliteCode(cause)
    const standsAlone = ['-wal', '-journal'].every((ending) => !existsSync(file + ending))
    if ((code !== CANNOT_OPEN && code !== READ_ONLY) || !standsAlone) throw thrown
    const location = new URL(`${pathToFileURL(file)}?immutable=1`)
    return new Connection(file, { location, busy_ms: BUSY_MS })
  }
}

/**
 * Whether SQLite itself failed (the disk, memory). What it holds of the transaction is then not to be relied on: all of it
 * has to be rolled back, not only a part.
 */
function isOfSqlite(thrown: unknown): boolean {
  const code = sqliteCode(thrown instanceof TwotrackError ? thrown.cause : thrown)
  return code !== undefined && code !== CONSTRAINT
}

/** One job of a group fails alone, unless SQLite had to give up the whole transaction. */
function runApart(connection: Connection, job: Job): () => void {
  connection.exec('SAVEPOINT job')
  try {
    const settle = job.run(connection)
    connection.exec('RELEASE job')
    return settle
  } catch (thrown) {
    if (!connection.inTransaction || isOfSqlite(thrown)) throw thrown
    connection.exec('ROLLBACK TO job; RELEASE job')
    return () => job.reject(thrown)
  }
}

/** SQLite does not wait for a busy file when it changes the journal; several processes may create it at once. */
function useWriteAheadLog(connection: Connection): void {
  for (let tries = BUSY_MS / AGAIN_MS; ; tries--) {
    try {
      connection.exec('PRAGMA journal_mode = WAL')
      return
    } catch (thrown) {
      if (tries === 0 || !(thrown instanceof TwotrackError) || thrown.code !== 'locked') throw thrown
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, AGAIN_MS)
    }
  }
}
