import { randomBytes } from 'node:crypto'
import { link, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { TwotrackError } from '../../errors.ts'
import { LOCK_UNREADABLE_MS_MAX } from '../../limits.ts'
import { diskError, systemCode, TEMPORARY_ENDING } from '../disk.ts'
import { isGone, type Owner, parseOwner, thisProcess } from './owner.ts'

export interface Lock {
  release(): Promise<void>
}

const ATTEMPTS_MAX = 20
/** A takeover that is itself interrupted is taken over the same way; more than this in a row is no accident. */
const TAKEOVER_DEPTH_MAX = 2

/** Takes the lock file or throws `locked`. A lock whose owner is certainly gone is taken over. */
export async function acquireLock(path: string, what: string, depth = 0): Promise<Lock> {
  const owner = thisProcess(randomBytes(6).toString('hex'))
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    if (await place(path, owner)) return { release: () => release(path, owner) }
    const holder = await readLock(path)
    if (holder === 'none') continue
    if (holder === 'unreadable' || !isGone(holder) || depth === TAKEOVER_DEPTH_MAX) {
      throw lockedBy(path, what, holder)
    }
    if (await takeOver(path, what, holder, owner, depth)) return { release: () => release(path, owner) }
  }
  throw lockedBy(path, what, 'unreadable')
}

/** Creates the lock with its content in one step, so that no one ever finds it half written. */
async function place(path: string, owner: Owner): Promise<boolean> {
  const temporary = temporaryOf(path, owner)
  try {
    await writeFile(temporary, JSON.stringify(owner), { flag: 'wx' })
    await link(temporary, path)
    return true
  } catch (cause) {
    const code = systemCode(cause)
    if (code === 'EEXIST') return false
    if (code === 'EPERM' || code === 'ENOTSUP' || code === 'ENOSYS') return placeWithoutLinks(path, owner)
    throw diskError('create lock', path, cause)
  } finally {
    await rm(temporary, { force: true })
  }
}

async function placeWithoutLinks(path: string, owner: Owner): Promise<boolean> {
  try {
    await writeFile(path, JSON.stringify(owner), { flag: 'wx' })
    return true
  } catch (cause) {
    if (systemCode(cause) === 'EEXIST') return false
    throw diskError('create lock', path, cause)
  }
}

export async function readLock(path: string): Promise<Owner | 'none' | 'unreadable'> {
  try {
    const owner = parseOwner(await readFile(path, 'utf8'))
    if (owner) return owner
    const age = Date.now() - (await stat(path)).mtimeMs
    if (age < LOCK_UNREADABLE_MS_MAX) return 'unreadable'
    // No process leaves a lock unwritten this long: whoever made it died while making it.
    return { ...thisProcess('000000000000'), started: 'never', since: 'an unknown time' }
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') return 'none'
    throw diskError('read lock', path, cause)
  }
}

/**
 * Replaces the lock of a process that is gone. Several may try: who holds the lock on succeeding that very
 * token may replace it, and only while it still is in place. So a fresh lock is never taken for the stale one.
 */
async function takeOver(
  path: string,
  what: string,
  gone: Owner,
  owner: Owner,
  depth: number,
): Promise<boolean> {
  const succession = await acquireLock(`${path}.after-${gone.token}`, what, depth + 1)
  const temporary = temporaryOf(path, owner)
  try {
    const holder = await readLock(path)
    if (typeof holder === 'string' || holder.token !== gone.token) return false
    await writeFile(temporary, JSON.stringify(owner), { flag: 'wx' })
    await rename(temporary, path)
    return true
  } catch (cause) {
    throw diskError('take over lock', path, cause)
  } finally {
    await rm(temporary, { force: true })
    await succession.release()
  }
}

async function release(path: string, owner: Owner): Promise<void> {
  const holder = await readLock(path)
  if (typeof holder === 'object' && holder.token === owner.token) await rm(path, { force: true })
}

const temporaryOf = (path: string, owner: Owner) => `${path}.${owner.token}${TEMPORARY_ENDING}`

function lockedBy(path: string, what: string, holder: Owner | 'unreadable'): TwotrackError {
  const who =
    holder === 'unreadable'
      ? 'another process'
      : `process ${holder.pid} on ${holder.host} (since ${holder.since})`
  return new TwotrackError(
    'locked',
    `${what} is being written by ${who}. Wait until it is done; if you are sure it is gone, delete ${path}.`,
    { details: typeof holder === 'object' ? { ...holder } : {} },
  )
}
