import { fstatSync, statSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { TwotrackError } from '../../errors.ts'
import type { Sealed } from '../../event/line.ts'
import { diskError } from '../../files/disk-error.ts'
import { WRITE_BYTES_MAX } from '../../limits.ts'
import { syncFolder, writeFully } from '../disk.ts'
import { follow } from '../follow.ts'
import type { Durability, Head, LogWriter, Recovery } from '../store.ts'
import type { Lock } from './lock.ts'
import type { WritableLog } from './recover.ts'

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
export class JsonlWriter implements LogWriter {
  readonly recovered?: Recovery
  readonly #options: WriterOptions
  readonly #queue: Pending[] = []
  #head: Head
  #file: FileHandle | undefined
  #size: number
  #draining: Promise<void> | undefined
  #syncTimer: NodeJS.Timeout | undefined
  #failure: TwotrackError | undefined
  #closing: Promise<void> | undefined

  constructor(log: WritableLog, options: WriterOptions) {
    this.#options = options
    this.#head = log.head
    this.#file = log.file
    this.#size = log.size
    if (log.recovered) this.recovered = log.recovered
  }

  get head(): Head {
    return this.#head
  }

  async append(events: readonly Sealed[], expectedSeq: number): Promise<void> {
    const { agentId } = this.#options
    if (this.#closing)
      throw new TwotrackError('closed', `The writer of log ${agentId} is closed; open it again.`)
    if (this.#failure) throw this.#failure
    this.#head = follow(agentId, this.#head, events, expectedSeq)
    if (events.length === 0) return
    const bytes = Buffer.from(`${events.map(({ line }) => line).join('\n')}\n`)
    await new Promise<void>((resolve, reject) => {
      this.#queue.push({ events, bytes, resolve, reject })
      this.#draining ??= this.#drain()
    })
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    try {
      await this.#draining
      clearTimeout(this.#syncTimer)
      if (this.#syncTimer && !this.#failure) await this.#sync()
    } finally {
      await this.#file?.close()
      await this.#options.lock.release()
      this.#options.onClosed()
    }
    if (this.#failure && this.#syncTimer) throw this.#failure
  }

  async #drain(): Promise<void> {
    // Appends made in the same tick share the first write too.
    await Promise.resolve()
    while (this.#queue.length > 0 && !this.#failure) {
      const batch = this.#takeBatch()
      try {
        await this.#commit(batch)
        for (const pending of batch) pending.resolve()
      } catch (cause) {
        this.#failure = diskError('append to log', this.#options.path, cause)
        await this.#undo()
        for (const pending of batch) pending.reject(this.#failure)
      }
    }
    for (const pending of this.#queue.splice(0)) pending.reject(this.#failure)
    this.#draining = undefined
  }

  #takeBatch(): Pending[] {
    let bytes = 0
    let count = 0
    for (const pending of this.#queue) {
      bytes += pending.bytes.length
      if (bytes > WRITE_BYTES_MAX && count > 0) break
      count++
    }
    return this.#queue.splice(0, count)
  }

  async #commit(batch: readonly Pending[]): Promise<void> {
    const { path, durability } = this.#options
    const created = this.#size === 0 ? batch[0]?.events[0] : undefined
    this.#file ??= await open(path, 'wx+')
    this.#assertUntouched(this.#file)
    const bytes = Buffer.concat(batch.map((pending) => pending.bytes))
    await writeFully(this.#file, bytes, this.#size)
    if (durability === 'always') await this.#file.datasync()
    else this.#syncTimer ??= setTimeout(() => this.#syncLater(), durability.interval_ms).unref()
    this.#assertOwn(this.#file)
    this.#size += bytes.length
    if (created) {
      await syncFolder(dirname(path))
      await this.#options.onCreated(created)
    }
  }

  /** Who writes without the lock, or takes the file away, is noticed before anything is written over. */
  #assertUntouched(file: FileHandle): void {
    const { size, nlink } = fstatSync(file.fd)
    if (size === this.#size && nlink > 0) return
    throw new TwotrackError(
      'conflict',
      `Log ${this.#options.path} was ${nlink === 0 ? 'removed' : 'changed'} by something else while it was open ` +
        `(${size} bytes, expected ${this.#size}). Nothing was appended.`,
    )
  }

  /** Nothing is acknowledged that another writer may not know of, or that stands in a file no one will find. */
  #assertOwn(file: FileHandle): void {
    const { path, lock } = this.#options
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

  /** After a failed write: back to the last acknowledged event, so that the log is as it was. */
  async #undo(): Promise<void> {
    if (!this.#file || this.#failure?.code === 'conflict') return
    try {
      if (fstatSync(this.#file.fd).size > this.#size) await this.#file.truncate(this.#size)
    } catch {
      // What remains is a torn tail, and the next open cuts it.
    }
  }

  async #syncLater(): Promise<void> {
    this.#syncTimer = undefined
    await this.#sync()
  }

  async #sync(): Promise<void> {
    try {
      await this.#file?.datasync()
    } catch (cause) {
      this.#failure ??= diskError('sync log', this.#options.path, cause)
    }
  }
}
