import { readFileSync, rmSync } from 'node:fs'
import { codeOf, TwotrackError } from '../../errors.ts'
import { diskError, replaceFile } from '../../files/disk.ts'
import { holdFile, isElsewhere, isHeld, type Owner, parseOwner, thisProcess } from '../../files/lock.ts'
import { isSameStamp, stampAt } from '../../files/stamp.ts'
import { HELD_ENDING } from './layout.ts'

export interface Lock {
  /** False once somebody took the lock away by hand: another process may be writing. */
  isMine(): boolean
  release(): Promise<void>
}

/** Takes the lock or throws `locked`. The lock of a process that is gone is free. */
export async function acquireLock(path: string, what: string): Promise<Lock> {
  const held = holdFile(path + HELD_ENDING)
  if (held === undefined) throw lockedBy(path, what)
  try {
    if (isLocked(path, false)) throw lockedBy(path, what)
    const owner = thisProcess()
    await replaceFile(path, Buffer.from(JSON.stringify(owner)))
    const own = stampAt(path)
    const isMine = () => isSameStamp(own, stampAt(path))
    return {
      isMine,
      async release() {
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

/** Whether a process writes, here or, as far as its note says, on another machine. */
export function isLocked(path: string, held = isHeld(path + HELD_ENDING)): boolean {
  const owner = noteAt(path)
  return held || (owner !== undefined && isElsewhere(owner))
}

/** Who has the lock, or had it when it ended without releasing it. */
export function noteAt(path: string): Owner | undefined {
  try {
    return parseOwner(readFileSync(path, 'utf8'))
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined
    throw diskError('read lock', path, cause)
  }
}

function lockedBy(path: string, what: string): TwotrackError {
  const owner = noteAt(path)
  const who = owner ? `process ${owner.pid} on ${owner.host} (since ${owner.since})` : 'another process'
  return new TwotrackError(
    'locked',
    `${what} is being written by ${who}. Wait until it is done; if you are sure it is gone, delete ${path}.`,
    { details: { ...owner } },
  )
}
