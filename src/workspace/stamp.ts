import { lstatSync } from 'node:fs'
import { codeOf } from '../errors.ts'
import { FILE_TIME_COARSE_MS, FILE_TIME_MS } from '../limits.ts'

/** What the system says of a file. It changes with every write, whatever the writer does to hide it (`ctime`). */
export interface Stamp {
  readonly ino: number
  readonly bytes: number
  readonly mtime_ms: number
  readonly ctime_ms: number
}

/** Undefined when nothing is there. */
export function stampAt(file: string): Stamp | undefined {
  const stats = statsOf(file)
  return stats && { ino: stats.ino, bytes: stats.size, mtime_ms: stats.mtimeMs, ctime_ms: stats.ctimeMs }
}

function statsOf(file: string) {
  try {
    return lstatSync(file, { throwIfNoEntry: false })
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOTDIR') return undefined
    throw thrown
  }
}

/** False when a later write could leave the stamp as it is, because it falls into the same tick of the clock. */
export const isSettled = ({ ctime_ms }: Stamp): boolean =>
  Date.now() - ctime_ms > (ctime_ms % 1_000 === 0 ? FILE_TIME_COARSE_MS : FILE_TIME_MS)

export const isSameStamp = (one: Stamp | undefined, other: Stamp | undefined): boolean =>
  one !== undefined &&
  other !== undefined &&
  one.ino === other.ino &&
  one.bytes === other.bytes &&
  one.mtime_ms === other.mtime_ms &&
  one.ctime_ms === other.ctime_ms
