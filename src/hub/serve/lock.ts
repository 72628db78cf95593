/** A lock that the system lets go of when its process ends, however it ends: no pid to mistake for another's. */

import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { messageOf, TwotrackError } from '../../errors.ts'

export interface Lock {
  release(): void
}

const isBusy = (thrown: unknown): boolean => /locked|busy/i.test(messageOf(thrown))

/** Undefined when another process has it. Kept as an open transaction on an otherwise empty database. */
export const takeLock = (file: string, wait_ms = 0): Lock | undefined => {
  mkdirSync(dirname(file), { recursive: true })
  const database = new DatabaseSync(file, { timeout: wait_ms })
  try {
    database.exec('BEGIN EXCLUSIVE')
    return { release: () => database.close() }
  } catch (cause) {
    database.close()
    if (isBusy(cause)) return undefined
    throw new TwotrackError('io', `The hub's lock ${file} can't be taken (${messageOf(cause)}).`, { cause })
  }
}

export const isLocked = (file: string): boolean => {
  const lock = takeLock(file)
  lock?.release()
  return lock === undefined
}
