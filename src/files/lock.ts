import { mkdirSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { TwotrackError } from '../errors.ts'
import { LOCK_WAIT_MS } from '../limits.ts'
import { diskError, makePrivate } from './disk.ts'

/** A file that this process alone holds. */
export interface Held {
  /** Lets go of the file and removes it. Once is enough. */
  release(): void
}

const ATTEMPTS_MAX = 100
const BUSY = 5

/**
 * Holds an empty file, made for it, until it is released or the process ends, however it ends; undefined when somebody
 * else holds it. The system itself keeps the lock, so it counts between containers and process namespaces as well and
 * no process id can be mistaken for another's. Node has no call for such locks, but SQLite takes one for a transaction.
 * The file must not be opened in any other way: on POSIX systems closing it would let go of the lock.
 */
export function holdFile(file: string, wait_ms = LOCK_WAIT_MS): Held | undefined {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const before = identityOf(file)
    const database = locked(file, wait_ms)
    if (database === undefined) return undefined
    // Whoever held it before may have removed it meanwhile: what is locked has to be what others will find.
    if (before !== undefined && before === identityOf(file)) return { release: () => release(file, database) }
    database.close()
  }
  throw new TwotrackError('io', `The lock ${file} is removed again and again by something else.`)
}

/** Whether a process holds the file now. */
export function isHeld(file: string): boolean {
  if (identityOf(file) === undefined) return false
  try {
    const database = locked(file, LOCK_WAIT_MS)
    database?.close()
    return database === undefined
  } catch {
    // Where nothing can be written nobody writes.
    return false
  }
}

/** Nothing is ever written: the transaction is open until the end. */
function locked(file: string, wait_ms: number): DatabaseSync | undefined {
  let database: DatabaseSync | undefined
  try {
    makePrivate(file)
    database = new DatabaseSync(file, { timeout: wait_ms })
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE')
    return database
  } catch (cause) {
    database?.close()
    if (cause instanceof Error && 'errcode' in cause && cause.errcode === BUSY) return undefined
    throw diskError('take lock', file, systemReason(file) ?? cause)
  }
}

/** SQLite does not say why it can't make a file; making something else beside it fails for the same reason. */
function systemReason(file: string): unknown {
  try {
    mkdirSync(`${file}-tried`)
    rmdirSync(`${file}-tried`)
    return undefined
  } catch (cause) {
    return cause
  }
}

function release(file: string, database: DatabaseSync): void {
  if (!database.isOpen) return
  try {
    // Removed while it is held: whoever waits for it finds out that it is gone and begins again.
    rmSync(file, { force: true })
  } catch {
    // An empty file stays, and the next one takes it.
  } finally {
    database.close()
  }
}

function identityOf(file: string): string | undefined {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false })
  return stats && `${stats.dev}:${stats.ino}`
}
