import { closeSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { codeOf, TwotrackError } from '../errors.ts'
import { diskError, PRIVATE_FILE, replaceFile, temporaryBeside, writeFully } from './disk.ts'
import { holdFile, isElsewhere, isHeld, type Owner, parseOwner, thisProcess } from './lock.ts'
import { isSameStamp, stampAt } from './stamp.ts'

/** Of the file that the system keeps locked, beside the note that says for whom. */
const HELD_ENDING = '.held'
/** How often who holds something says that it still does. */
const RENEW_MS = 10_000
/**
 * After how long without a word it is taken for gone.
 * @internal
 */
export const LEASE_MS = 60_000

/** What one process alone may do, for as long as it lives; on another machine for as long as it renews its note. */
export interface FileLease {
  /** Higher than that of all before it. */
  readonly generation: number
  /** False once somebody took it away: another process may be at work. */
  isMine(): boolean
  release(): Promise<void>
}

/** Takes the lease whose note is at a path, or throws `locked`. That of a process that is gone is free. */
export async function takeLease(path: string, what: string): Promise<FileLease> {
  const held = holdFile(path + HELD_ENDING)
  if (held === undefined) throw lockedBy(path, what)
  try {
    const before = noteAt(path)
    if (before && isElsewhere(before) && !isOutdated(path, timeOn(path))) throw lockedBy(path, what)
    const owner = { ...thisProcess(), generation: Math.max((before?.generation ?? 0) + 1, Date.now()) }
    const note = Buffer.from(JSON.stringify(owner))
    await replaceFile(path, note)
    let own = stampAt(path)
    const isMine = () => isSameStamp(own, stampAt(path))
    const renewing = setInterval(() => {
      if (!isMine()) return
      writeAgain(path, note)
      own = stampAt(path)
    }, RENEW_MS).unref()
    return {
      generation: owner.generation,
      isMine,
      async release() {
        clearInterval(renewing)
        try {
          if (isMine()) rmSync(path, { force: true })
        } catch {
          // The note of a process that holds nothing counts for nothing.
        } finally {
          held.release()
        }
      },
    }
  } catch (thrown) {
    held.release()
    throw thrown
  }
}

/** Writes the same bytes: the file's time is then the present one, as told by the machine that has the disk. */
function writeAgain(path: string, note: Uint8Array): void {
  try {
    const fd = openSync(path, 'r+')
    try {
      writeFully({ fd }, note, 0)
    } finally {
      closeSync(fd)
    }
  } catch {
    // A note that grows old is taken over, and the next append notices.
  }
}

/** The time as the machine that has the disk tells it: no two machines have to agree on it. */
function timeOn(path: string): number {
  const probe = temporaryBeside(path)
  try {
    writeFileSync(probe, '', { flag: 'wx', mode: PRIVATE_FILE })
    return statSync(probe).mtimeMs
  } finally {
    rmSync(probe, { force: true })
  }
}

/** Whether a note was not renewed for so long that whoever wrote it is gone. */
const isOutdated = (path: string, now: number): boolean =>
  now - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > LEASE_MS

/** Whether a process writes, here or, as far as its note says, on another machine. */
export function isLeased(path: string): boolean {
  const owner = noteAt(path)
  return isHeld(path + HELD_ENDING) || (!!owner && isElsewhere(owner) && !isOutdated(path, Date.now()))
}

/**
 * The time before which nothing was written for who holds one of these leases, or takes one from now on: `unused_ms` ago, or
 * when the oldest of those that are held began. Never, where one is held on another machine, whose clock is another.
 */
export async function settledBefore(notes: readonly string[], unused_ms: number): Promise<number> {
  // What was written in this very millisecond was written before.
  await sleep(2)
  return Math.min(Date.now() - unused_ms, ...notes.map(beginOf))
}

function beginOf(path: string): number {
  const owner = noteAt(path)
  if (!owner || !isLeased(path)) return Number.POSITIVE_INFINITY
  return isElsewhere(owner) ? Number.NEGATIVE_INFINITY : Date.parse(owner.since)
}

/** Who has the lock, or had it when it ended without releasing it. */
function noteAt(path: string): Owner | undefined {
  try {
    return parseOwner(readFileSync(path, 'utf8'))
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined
    throw diskError('read lock', path, cause)
  }
}

function lockedBy(path: string, what: string): TwotrackError {
  const owner = noteAt(path)
  if (owner?.pid === process.pid && !isElsewhere(owner))
    return new TwotrackError(
      'locked',
      `${what} is being written by this process (${process.pid}) already. Close what writes it first, with its close(): ` +
        'in a finally, so that what fails lets go of it too.',
      { details: { ...owner } },
    )
  const who = owner ? `process ${owner.pid} on ${owner.host} (since ${owner.since})` : 'another process'
  return new TwotrackError(
    'locked',
    `${what} is being written by ${who}. Wait until it is done; if you are sure it is gone, delete ${path}.`,
    { details: { ...owner } },
  )
}
