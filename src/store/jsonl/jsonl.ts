import { resolve } from 'node:path'
import { TwotrackError } from '../../errors.ts'
import type { BlobRef, Event } from '../../event/event.ts'
import { type Opened, toEvent } from '../../event/line.ts'
import { entryOf } from '../log-entry.ts'
import {
  type Durability,
  type Finding,
  type Head,
  type IndexName,
  indexNames,
  type LogEntry,
  type LogFilter,
  type LogWriter,
  type Range,
  type Snapshot,
  type Store,
} from '../store.ts'
import { putBlob, readBlob } from './blobs.ts'
import { checkFolder } from './check.ts'
import { diskError, makeFolder } from './disk.ts'
import { type Layout, layoutOf } from './layout.ts'
import { acquireLock } from './lock.ts'
import { addToIndex, listLogs } from './log-index.ts'
import { JsonlWriter } from './log-writer.ts'
import { openLog, readLog, readLogEnd } from './read-log.ts'
import { openForWriting } from './recover.ts'
import { getSnapshot, putSnapshot } from './snapshots.ts'
import { tailLog } from './tail-log.ts'

export interface JsonlOptions {
  /** Usually `.agentfs`. It is created with the first thing that is written, not before. */
  readonly folder: string
  /**
   * `always` (the default): an append resolves when its events are on disk. `{interval_ms}`: it resolves when the
   * system has them; they survive the end of the process at once, a power failure after at most that time.
   */
  readonly durability?: Durability
  /** What the index holds. Listing by something else works too, but opens every log. */
  readonly indexing?: readonly IndexName[]
}

/** Logs as JSON lines in a folder, one file an agent. docs/log-format.md describes the files. */
export function jsonlStore(options: JsonlOptions): Store {
  const { durability = 'always' } = options
  if (durability !== 'always' && !(durability.interval_ms > 0)) {
    throw new TwotrackError(
      'bad_argument',
      `A durability interval of ${durability.interval_ms} ms can't be kept; give "always" or more than 0 ms.`,
    )
  }
  return new JsonlStore(layoutOf(resolve(options.folder)), durability, options.indexing ?? indexNames)
}

class JsonlStore implements Store {
  readonly kind = 'jsonl'
  readonly #layout: Layout
  readonly #durability: Durability
  readonly #indexing: readonly IndexName[]
  readonly #writers = new Set<LogWriter>()
  readonly #closing = new AbortController()

  constructor(layout: Layout, durability: Durability, indexing: readonly IndexName[]) {
    this.#layout = layout
    this.#durability = durability
    this.#indexing = indexing
  }

  async open(agentId: string): Promise<LogWriter> {
    this.#assertOpen()
    const path = this.#layout.log(agentId)
    await makeFolder(this.#layout.traces)
    const lock = await acquireLock(this.#layout.lock(agentId), `Log ${agentId}`)
    try {
      const writer: JsonlWriter = new JsonlWriter(await openForWriting(agentId, path), {
        agentId,
        path,
        durability: this.#durability,
        lock,
        onCreated: ({ event }) => addToIndex(this.#layout, entryOf(event), this.#indexing),
        onClosed: () => this.#writers.delete(writer),
      })
      this.#writers.add(writer)
      return writer
    } catch (thrown) {
      await lock.release()
      throw thrown
    }
  }

  async *read(agentId: string, range: Range = {}): AsyncIterable<Event> {
    for await (const opened of this.readLines(agentId, range)) yield toEvent(opened)
  }

  async *readLines(agentId: string, range: Range = {}): AsyncIterable<Opened> {
    this.#assertOpen()
    yield* readLog(agentId, this.#layout.log(agentId), range)
  }

  async *tail(agentId: string, options: { from?: number; signal: AbortSignal }): AsyncIterable<Event> {
    this.#assertOpen()
    const signal = AbortSignal.any([options.signal, this.#closing.signal])
    const lines = tailLog(agentId, this.#layout.log(agentId), options.from ?? 1, signal)
    for await (const opened of lines) yield toEvent(opened)
  }

  async head(agentId: string): Promise<Head | undefined> {
    this.#assertOpen()
    const path = this.#layout.log(agentId)
    const log = await openLog(agentId, path)
    if (!log) return undefined
    try {
      return (await readLogEnd(log)).head
    } catch (cause) {
      throw diskError('read log', path, cause)
    } finally {
      await log.file.close()
    }
  }

  async list(filter: LogFilter = {}): Promise<LogEntry[]> {
    this.#assertOpen()
    return listLogs(this.#layout, filter, this.#indexing)
  }

  async putBlob(content: Uint8Array | AsyncIterable<Uint8Array>, media: BlobRef['media']): Promise<BlobRef> {
    this.#assertOpen()
    return putBlob(this.#layout, content, media)
  }

  async *readBlob(digest: string): AsyncIterable<Uint8Array> {
    this.#assertOpen()
    yield* readBlob(this.#layout, digest)
  }

  async putSnapshot(agentId: string, snapshot: Snapshot): Promise<void> {
    this.#assertOpen()
    await putSnapshot(this.#layout, agentId, snapshot)
  }

  async getSnapshot(agentId: string, seqMax: number): Promise<Snapshot | undefined> {
    this.#assertOpen()
    return getSnapshot(this.#layout, agentId, seqMax)
  }

  async check(): Promise<Finding[]> {
    this.#assertOpen()
    return checkFolder(this.#layout)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all([...this.#writers].map((writer) => writer.close()))
  }

  #assertOpen(): void {
    if (this.#closing.signal.aborted) throw new TwotrackError('closed', 'This store is closed.')
  }
}
