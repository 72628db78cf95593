import { fstatSync, statSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Sealed } from '../../core/event/line.ts'
import { closedWriter, endingAt, follow } from '../../core/store/follow.ts'
import type { Durability, LogWriter } from '../../core/store/store.ts'
import { TwotrackError } from '../../errors.ts'
import { diskError, PRIVATE_FILE, syncFolder, writeFully } from '../../files/disk.ts'
import { WRITE_BYTES_MAX } from '../../limits.ts'
import type { Lock } from './lock.ts'
import type { WritableLog } from './recover.ts'
import { rewriteLog } from './rewrite.ts'

interface Pending {
  readonly events: readonly Sealed[]
  readonly bytes: Buffer
  resolve(): void
  reject(reason: unknown): void
}

interface WriterOptions {
  readonly agentId: string
  readonly path: string
  readonly durability: Durability
  readonly lock: Lock
  /** Called once the first event of a new log is on disk, before its append resolves. */
  onCreated(first: Sealed): Promise<void>
  onClosed(): void
}

/** Appends to one log. What is queued while a write is under way goes out in the next one, with one sync. */
export function logWriter(log: WritableLog, options: WriterOptions): LogWriter {
  const { agentId, path, durability, lock } = options
  const queue: Pending[] = []
  let { head, file, size } = log
  /** The last acknowledged event. */
  let kept = head.seq
  let draining: Promise<void> | undefined
  let syncTimer: NodeJS.Timeout | undefined
  let failure: TwotrackError | undefined
  /** Set when what was acknowledged may not be on disk. */
  let unsynced: TwotrackError | undefined
  let closing: Promise<void> | undefined

  const drain = async (): Promise<void> => {
    // Appends made in the same tick share the first write too.
    await Promise.resolve()
    while (queue.length > 0 && !failure) {
      const batch = takeBatch(queue)
      try {
        await commit(batch)
        kept = batch.at(-1)?.events.at(-1)?.event.seq ?? kept
        for (const pending of batch) pending.resolve()
      } catch (cause) {
        failure = endingAt(kept, diskError('append to log', path, cause))
        await undo(failure)
        for (const pending of batch) pending.reject(failure)
      }
    }
    for (const pending of queue.splice(0)) pending.reject(failure)
    draining = undefined
  }

  const commit = async (batch: readonly Pending[]): Promise<void> => {
    const created = size === 0 ? batch[0]?.events[0] : undefined
    file ??= await open(path, 'wx+', PRIVATE_FILE)
    assertUntouched(path, file, size)
    const bytes = Buffer.concat(batch.map((pending) => pending.bytes))
    writeFully(file, bytes, size)
    if (durability === 'always') await file.datasync()
    else syncTimer ??= setTimeout(syncLater, durability.interval_ms).unref()
    assertOwn(path, file, lock)
    size += bytes.length
    if (created) {
      await syncFolder(dirname(path))
      await options.onCreated(created)
    }
  }

  /** After a failed write: back to the last acknowledged event, so that the log is as it was. */
  const undo = async ({ code }: TwotrackError): Promise<void> => {
    if (!file || code === 'conflict') return
    try {
      if (fstatSync(file.fd).size > size) await file.truncate(size)
    } catch {
      // What remains is a torn tail, and the next open cuts it.
    }
  }

  const sync = async (): Promise<void> => {
    try {
      await file?.datasync()
    } catch (cause) {
      unsynced = diskError('sync log', path, cause)
      failure ??= unsynced
    }
  }

  const syncLater = (): Promise<void> => {
    syncTimer = undefined
    return sync()
  }

  const close = async (): Promise<void> => {
    try {
      await draining
      clearTimeout(syncTimer)
      if (syncTimer && !failure) await sync()
    } finally {
      await file?.close()
      await lock.release()
      options.onClosed()
    }
    if (unsynced) throw unsynced
  }

  return {
    ...(log.recovered ? { recovered: log.recovered } : {}),

    get head() {
      return head
    },

    async append(events, expectedSeq) {
      if (closing) throw closedWriter(agentId)
      if (failure) throw failure
      head = follow(agentId, head, events, expectedSeq)
      if (events.length === 0) return
      const bytes = Buffer.from(`${events.map(({ line }) => line).join('\n')}\n`)
      await new Promise<void>((resolve, reject) => {
        queue.push({ events, bytes, resolve, reject })
        draining ??= drain()
      })
    },

    async rewrite(...steps) {
      if (closing) throw closedWriter(agentId)
      await draining
      if (failure) throw failure
      if (!file) return
      assertUntouched(path, file, size)
      const rewritten = await rewriteLog(agentId, path, file, steps)
      if (!rewritten) return
      await file.close()
      ;({ file, size, head } = rewritten)
      kept = head.seq
    },

    close() {
      closing ??= close()
      return closing
    },
  }
}

function takeBatch(queue: Pending[]): Pending[] {
  let bytes = 0
  let count = 0
  for (const pending of queue) {
    bytes += pending.bytes.length
    if (bytes > WRITE_BYTES_MAX && count > 0) break
    count++
  }
  return queue.splice(0, count)
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
function assertOwn(path: string, file: FileHandle, lock: Lock): void {
  const there = statSync(path, { bigint: true, throwIfNoEntry: false })
  const { dev, ino } = fstatSync(file.fd, { bigint: true })
  const isInPlace = there?.dev === dev && there.ino === ino
  if (isInPlace && lock.isMine()) return
  throw new TwotrackError(
    'conflict',
    `Log ${path} ${isInPlace ? 'lost its lock' : 'was removed or replaced'} while it was open. ` +
      'What was just appended is not acknowledged. See what is there with "twotrack verify", then open it again.',
  )
}
