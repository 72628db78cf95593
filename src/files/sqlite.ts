import { statSync } from 'node:fs'
import type {
  DatabaseSync,
  DatabaseSyncOptions,
  SQLInputValue,
  SQLOutputValue,
  StatementSync,
} from 'node:sqlite'
import { codeOf, type ErrorCode, messageOf, TwotrackError } from '../errors.ts'
import { makePrivate } from './disk.ts'

/** SQLite, where it is used and not before: a runtime without it can import everything else. */
export function sqliteModule(): typeof import('node:sqlite') {
  const found: typeof import('node:sqlite') | undefined = process.getBuiltinModule('node:sqlite')
  if (found) return found
  throw new TwotrackError(
    'missing_peer',
    `This runtime (${process.release.name} ${process.version}) has no node:sqlite, which locks and databases need. Use Node.`,
  )
}

export type SqliteRow = Record<string, SQLOutputValue>

export interface ConnectionOptions {
  /** Where SQLite finds the file, when that is not its path. */
  readonly location?: URL
  readonly readOnly?: boolean
  /** How long to wait for another process that is writing. */
  readonly busy_ms: number
}

/** One open SQLite file. What SQLite throws becomes a TwotrackError that says what to do. */
export class Connection {
  readonly file: string
  readonly #sqlite: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(file: string, { location, readOnly = false, busy_ms }: ConnectionOptions) {
    this.file = file
    if (!readOnly && file !== '') makePrivate(file)
    const options = { timeout: busy_ms, readOnly, defensive: true }
    this.#sqlite = this.#explained(() =>
      readOnly || location || !hasBytes(file)
        ? new (sqliteModule().DatabaseSync)(location ?? file, options)
        : openExisting(file, options),
    )
  }

  get inTransaction(): boolean {
    return this.#sqlite.isTransaction
  }

  exec(sql: string): void {
    this.#explained(() => this.#sqlite.exec(sql))
  }

  get(sql: string, ...values: SQLInputValue[]): SqliteRow | undefined {
    return this.#explained(() => this.#prepared(sql).get(...values))
  }

  all(sql: string, ...values: SQLInputValue[]): SqliteRow[] {
    return this.#explained(() => this.#prepared(sql).all(...values))
  }

  /** Returns the number of rows changed. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return this.#explained(() => Number(this.#prepared(sql).run(...values).changes))
  }

  /** All or nothing. */
  transaction<T>(work: () => T): T {
    this.exec('BEGIN IMMEDIATE')
    try {
      const result = work()
      this.exec('COMMIT')
      return result
    } catch (thrown) {
      if (this.inTransaction) this.exec('ROLLBACK')
      throw thrown
    }
  }

  close(): void {
    this.#statements.clear()
    this.#explained(() => this.#sqlite.close())
  }

  #prepared(sql: string): StatementSync {
    let statement = this.#statements.get(sql)
    if (!statement) {
      statement = this.#sqlite.prepare(sql)
      this.#statements.set(sql, statement)
    }
    return statement
  }

  #explained<T>(work: () => T): T {
    try {
      return work()
    } catch (thrown) {
      throw explain(thrown, this.file)
    }
  }
}

const hasBytes = (file: string): boolean => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0

/**
 * Opens a file and reads from it once. A connection that never could, because its `-shm` file failed to open, may remove
 * SQLite's log of committed changes (`-wal`) without applying it when it is closed (seen with 3.53). One that may only
 * read never does; while it is open nobody else does either.
 */
function openExisting(file: string, options: DatabaseSyncOptions): DatabaseSync {
  const guard = new (sqliteModule().DatabaseSync)(file, { ...options, readOnly: true })
  try {
    try {
      guard.exec(FIRST_READ)
    } catch (thrown) {
      // It may not undo what a process that was killed left half done (`-journal`); whoever may write does that.
      if (sqliteCode(thrown) !== READ_ONLY) throw thrown
    }
    const sqlite = new (sqliteModule().DatabaseSync)(file, options)
    try {
      sqlite.exec(FIRST_READ)
      return sqlite
    } catch (thrown) {
      sqlite.close()
      throw thrown
    }
  } finally {
    guard.close()
  }
}

/** SQLite's code for what may only be read. */
export const READ_ONLY = 8
const FIRST_READ = 'SELECT 1 FROM sqlite_schema'

const reasons: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  1: ['damaged', 'its tables are not as twotrack made them; restore the file from a copy'],
  5: ['locked', 'another process kept it busy; close that program and try again'],
  6: ['locked', 'another part of this process is using it; close that first'],
  8: ['io', 'it is read-only; change its permissions or choose another file'],
  10: ['io', 'the disk failed to read or write it'],
  11: ['damaged', 'its pages are damaged; restore the file from a copy'],
  13: ['io', 'the disk is full'],
  14: ['io', 'it cannot be opened; check that the path is a file that you may read and write'],
  19: ['conflict', 'a row with that key is already there'],
  26: ['damaged', 'it is not a SQLite database, or its first page is damaged; choose another file'],
}

/** The low byte of SQLite's extended error code is the kind of error. */
export const sqliteCode = (thrown: unknown): number | undefined =>
  thrown instanceof Error && 'errcode' in thrown && typeof thrown.errcode === 'number'
    ? thrown.errcode & 0xff
    : undefined

function explain(thrown: unknown, file: string): unknown {
  if (thrown instanceof TwotrackError) return thrown
  const code = sqliteCode(thrown)
  if (codeOf(thrown) === 'ERR_INVALID_STATE') {
    return new TwotrackError('closed', `The store ${file} was closed while it was read.`, { cause: thrown })
  }
  // A number outside the safe range can't be read; no row that twotrack wrote holds one.
  if (thrown instanceof RangeError) {
    return new TwotrackError('damaged', `A row of ${file} holds an impossible number.`, { cause: thrown })
  }
  const [errorCode, reason] = (code === undefined ? undefined : reasons[code]) ?? ['io', 'SQLite refused it']
  return new TwotrackError(errorCode, `Can't use ${file}: ${reason} (${messageOf(thrown)}).`, {
    cause: thrown,
    details: { file },
  })
}
