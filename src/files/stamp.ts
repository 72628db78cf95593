import { lstatSync, type Stats } from 'node:fs'
import { codeOf } from '../errors.ts'
import { FILE_TIME_MS } from '../limits.ts'

/** The same on a disk that knows whole seconds only. */
const FILE_TIME_COARSE_MS = 2_000

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
  return stats && stampOf(stats)
}

export const stampOf = ({ ino, size, mtimeMs, ctimeMs }: Stats): Stamp => ({
  ino,
  bytes: size,
  mtime_ms: mtimeMs,
  ctime_ms: ctimeMs,
})

function statsOf(file: string) {
  try {
    return lstatSync(file, { throwIfNoEntry: false })
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOTDIR') return undefined
    throw thrown
  }
}

/**
 * False when a write after the stamp was taken could leave it as it is, because it falls into the same tick of the
 * clock.
 */
export const isSettled = ({ ctime_ms }: Stamp, taken_ms = Date.now()): boolean =>
  taken_ms - ctime_ms > (ctime_ms % 1_000 === 0 ? FILE_TIME_COARSE_MS : FILE_TIME_MS)

export const isSameStamp = (one: Stamp | undefined, other: Stamp | undefined): boolean =>
  one !== undefined &&
  other !== undefined &&
  one.ino === other.ino &&
  one.bytes === other.bytes &&
  one.mtime_ms === other.mtime_ms &&
  one.ctime_ms === other.ctime_ms
