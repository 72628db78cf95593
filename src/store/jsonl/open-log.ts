import { randomBytes } from 'node:crypto'
import { fstatSync, rmSync, statSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Lease, Line, Rewriting } from '../../core/store/engine.ts'
import type { Durability, Recovery } from '../../core/store/store.ts'
import { TwotrackError } from '../../errors.ts'
import { diskError, PRIVATE_FILE, replaceFile, syncFolder, writeFully } from '../../files/disk.ts'
import type { FileLease } from '../../files/lease.ts'
import { unpackLog } from './archive.ts'
import { REWRITING_ENDING, TORN_MARK } from './layout.ts'
import { lines, marked, readSpan } from './lines.ts'
import { logEnd } from './log-end.ts'
import { openHandle } from './log-file.ts'

const REWRITE_BYTES = 1024 * 1024
const LINE_FEED = Buffer.from('\n')

/** A log whose lock is held, open for writing. */
export interface OpenLog extends Lease {
  /** Whether nothing was written to the log yet. */
  isNew(): boolean
  append(lines: readonly Line[]): Promise<void>
  /** Writes the log anew beside itself and puts it in its place: who reads sees all of the old or all of the new. */
  rewrite(steps: Rewriting): Promise<void>
}

export async function openLogFile(path: string, durability: Durability, lock: FileLease): Promise<OpenLog> {
  let { file, size, recovered } = await openForWriting(path)
  let syncTimer: NodeJS.Timeout | undefined
  /** Set when what was acknowledged may not be on disk: nothing more is accepted on top of it. */
  let unsynced: TwotrackError | undefined
  /** Events from here on may not be on disk, the last that was written among them. */
  let since: number | undefined
  let written = 0

  const sync = async (): Promise<void> => {
    syncTimer = undefined
    const covered = written
    try {
      await file?.datasync()
      since = written > covered ? covered + 1 : undefined
    } catch (cause) {
      unsynced = diskError('sync log', path, cause)
    }
  }
  /** After a failed write: back to the last acknowledged event, so that the log is as it was. */
  const undo = async (): Promise<void> => {
    try {
      if (file && fstatSync(file.fd).size > size) await file.truncate(size)
    } catch {
      // What remains is a torn tail, and the next open cuts it.
    }
  }

  return {
    generation: lock.generation,
    ...(recovered ? { recovered } : {}),
    isNew: () => size === 0,

    async append(added) {
      if (unsynced) throw unsynced
      try {
        const isNew = size === 0
        file ??= await open(path, 'wx+', PRIVATE_FILE)
        assertUntouched(path, file, size)
        // Who stood still for long may have been taken for gone.
        if (!lock.isMine()) throw lostLock(path, 'lost its lock')
        const from = since ?? added[0]?.header.seq ?? 0
        const bytes = Buffer.concat(
          added.flatMap(({ bytes: line, header: { seq } }) => [
            seq > from ? marked(line, from) : line,
            LINE_FEED,
          ]),
        )
        writeFully(file, bytes, size)
        if (durability === 'always') await file.datasync()
        else {
          since = from
          written = added.at(-1)?.header.seq ?? written
          syncTimer ??= setTimeout(sync, durability.interval_ms).unref()
        }
        assertOwn(path, file, lock)
        if (isNew) await syncFolder(dirname(path))
        size += bytes.length
      } catch (cause) {
        const failure = diskError('append to log', path, cause)
        if (failure.code !== 'conflict') await undo()
        throw failure
      }
    },

    async rewrite(steps) {
      if (!file) return
      assertUntouched(path, file, size)
      const temporary = path + REWRITING_ENDING
      const anew = await open(temporary, 'w+', PRIVATE_FILE)
      let replaced = false
      try {
        const changed = await writeChanged(path, file, anew, steps)
        if (changed === undefined) return
        await anew.sync()
        await rename(temporary, path)
        replaced = true
        await file.close()
        file = anew
        size = changed
        since = undefined
        await syncFolder(dirname(path))
      } finally {
        if (!replaced) {
          await anew.close()
          await rm(temporary, { force: true })
        }
      }
    },

    async release() {
      try {
        clearTimeout(syncTimer)
        if (syncTimer) await sync()
      } finally {
        await file?.close()
        file = undefined
        await lock.release()
      }
      if (unsynced) throw unsynced
    },
  }
}

interface Writable {
  readonly file: FileHandle | undefined
  readonly size: number
  readonly recovered?: Recovery
}

/**
 * Opens a log whose lock is held. A torn tail is copied aside, then cut; no acknowledged event is in it, since
 * an append is acknowledged after its line feed is on disk.
 */
async function openForWriting(path: string): Promise<Writable> {
  await unpackLog(path)
  rmSync(path + REWRITING_ENDING, { force: true })
  const file = await openHandle(path, 'r+')
  if (!file) return { file, size: 0 }
  try {
    const { size, fileSize } = await logEnd(path, file)
    if (size === fileSize) return { file, size }
    const torn = await readSpan(file, size, fileSize)
    const kept = await keepAside(path, torn, size)
    await file.truncate(size)
    await file.datasync()
    return { file, size, recovered: { bytes: torn.length, offset: size, kept } }
  } catch (cause) {
    await file.close()
    throw diskError('open log', path, cause)
  }
}

async function keepAside(path: string, torn: Uint8Array, offset: number): Promise<string> {
  const mark = TORN_MARK.slice(TORN_MARK.lastIndexOf('.'))
  const kept = `${path}${mark}${offset}-${randomBytes(4).toString('hex')}`
  await replaceFile(kept, torn, true)
  await syncFolder(dirname(kept))
  return kept
}

/** Gives the size of what was written; undefined when nothing changes. */
async function writeChanged(
  path: string,
  from: FileHandle,
  to: FileHandle,
  { next, end }: Rewriting,
): Promise<number | undefined> {
  let waiting: Uint8Array[] = []
  let waitingBytes = 0
  let size = 0
  let changed = false
  const add = (line: Uint8Array) => {
    // A copy: the line's own bytes are those of the next one soon.
    waiting.push(Buffer.from(line), LINE_FEED)
    waitingBytes += line.length + 1
    size += line.length + 1
  }
  const flush = () => {
    writeFully(to, Buffer.concat(waiting), size - waitingBytes)
    waiting = []
    waitingBytes = 0
  }
  for await (const { bytes, offset } of lines(from)) {
    const line = next({ bytes, at: { path, offset } })
    changed ||= line.bytes !== bytes
    add(line.bytes)
    if (waitingBytes > REWRITE_BYTES) flush()
  }
  const added = end()
  for (const { bytes } of added) add(bytes)
  flush()
  return changed || added.length > 0 ? size : undefined
}

/** Who writes without the lock, or takes the file away, is noticed before anything is written over. */
function assertUntouched(path: string, file: FileHandle, expected: number): void {
  const { size, nlink } = fstatSync(file.fd)
  if (size === expected && nlink > 0) return
  throw new TwotrackError(
    'conflict',
    `Log ${path} was ${nlink === 0 ? 'removed' : 'changed'} by something else while it was open ` +
      `(${size} bytes, expected ${expected}). Nothing was appended.`,
  )
}

/** Nothing is acknowledged that another writer may not know of, or that stands in a file no one will find. */
function assertOwn(path: string, file: FileHandle, lock: FileLease): void {
  const there = statSync(path, { bigint: true, throwIfNoEntry: false })
  const { dev, ino } = fstatSync(file.fd, { bigint: true })
  const isInPlace = there?.dev === dev && there.ino === ino
  if (isInPlace && lock.isMine()) return
  throw lostLock(path, isInPlace ? 'lost its lock' : 'was removed or replaced')
}

const lostLock = (path: string, what: string) =>
  new TwotrackError(
    'conflict',
    `Log ${path} ${what} while it was open. What was just appended is not acknowledged. ` +
      'See what is there with "twotrack verify", then open it again.',
  )
