import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { TwotrackError } from '../errors.ts'
import { diskError, makePrivate } from './disk.ts'
import { sqliteModule } from './sqlite.ts'

/** A file that this process alone holds. */
export interface Held {
  /** Lets go of the file and removes it. Once is enough. */
  release(): void
}

/** How long a lock is waited for: somebody may only have looked whether it is held. */
const LOCK_WAIT_MS = 20
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
    database = new (sqliteModule().DatabaseSync)(file, { timeout: wait_ms })
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

const ownerSchema = z.object({
  /** Unique to one acquisition. */
  token: z.string().regex(/^[0-9a-f]{12}$/),
  pid: z.number(),
  host: z.string(),
  boot: z.string(),
  since: z.string(),
  generation: z.number().optional(),
})
/** Who holds a lock: a note for people and for other machines. Whether it still does is what the lock itself says. */
export type Owner = z.infer<typeof ownerSchema>

export const thisProcess = (): Owner => ({
  token: randomBytes(6).toString('hex'),
  pid: process.pid,
  host: hostname(),
  boot: bootId(),
  since: new Date().toISOString(),
})

export function parseOwner(text: string): Owner | undefined {
  try {
    return ownerSchema.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** On another machine, whose locks need not reach this one. Containers on one machine share its boot. */
export const isElsewhere = ({ host, boot }: Owner): boolean =>
  host !== hostname() && (boot === '' || boot !== bootId())

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}
