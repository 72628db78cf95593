import { TwotrackError } from '../errors.ts'
import { type BlobRef, type Event, GENESIS } from '../event/event.ts'
import { type Opened, open, type Sealed, toEvent } from '../event/line.ts'
import { sha256 } from '../sha256.ts'
import { type BlobContent, measured, missingBlob } from './blob.ts'
import { follow } from './follow.ts'
import { byCreation, entryOf, matches } from './log-entry.ts'
import type { Head, LogEntry, LogFilter, LogWriter, Range, Snapshot, Store } from './store.ts'

/** Holds everything in memory, for tests and for work that should leave nothing behind. */
export function memoryStore(): Store {
  return new MemoryStore()
}

class MemoryStore implements Store {
  readonly kind = 'memory'
  readonly #logs = new Map<string, Sealed[]>()
  readonly #writers = new Set<string>()
  readonly #blobs = new Map<string, Uint8Array>()
  readonly #snapshots = new Map<string, Snapshot[]>()
  readonly #waiting = new Set<() => void>()
  #closed = false

  async open(agentId: string): Promise<LogWriter> {
    this.#assertOpen()
    if (this.#writers.has(agentId)) {
      throw new TwotrackError(
        'locked',
        `Log ${agentId} is open for writing already. Close that writer first.`,
      )
    }
    this.#writers.add(agentId)
    return this.#writer(agentId)
  }

  #writer(agentId: string): LogWriter {
    let closed = false
    const headOf = () => this.#head(agentId) ?? { seq: 0, hash: GENESIS }
    return {
      get head() {
        return headOf()
      },
      append: async (events, expectedSeq) => {
        this.#assertOpen()
        if (closed)
          throw new TwotrackError('closed', `The writer of log ${agentId} is closed; open it again.`)
        follow(agentId, headOf(), events, expectedSeq)
        if (events.length === 0) return
        const log = this.#logs.get(agentId)
        if (log) log.push(...events)
        else this.#logs.set(agentId, [...events])
        this.#wake()
      },
      close: async () => {
        if (!closed) this.#writers.delete(agentId)
        closed = true
      },
    }
  }

  async *read(agentId: string, range: Range = {}): AsyncIterable<Event> {
    for await (const opened of this.readLines(agentId, range)) yield toEvent(opened)
  }

  async *readLines(agentId: string, range: Range = {}): AsyncIterable<Opened> {
    this.#assertOpen()
    const log = this.#log(agentId)
    const last = Math.min(range.to ?? Infinity, log.length)
    // Through the line's bytes, so that what is read is what any other store would give.
    for (let seq = Math.max(range.from ?? 1, 1); seq <= last; seq++) {
      const sealed = log[seq - 1]
      if (sealed) yield open(Buffer.from(sealed.line), sha256)
    }
  }

  async *tail(agentId: string, options: { from?: number; signal: AbortSignal }): AsyncIterable<Event> {
    this.#assertOpen()
    const log = this.#log(agentId)
    let next = Math.max(options.from ?? 1, 1)
    while (!options.signal.aborted && !this.#closed) {
      if (next > log.length) await this.#news(options.signal)
      else for await (const event of this.read(agentId, { from: next, to: next++ })) yield event
    }
  }

  async head(agentId: string): Promise<Head | undefined> {
    this.#assertOpen()
    return this.#head(agentId)
  }

  async list(filter: LogFilter = {}): Promise<LogEntry[]> {
    this.#assertOpen()
    const entries: LogEntry[] = []
    for (const [first] of this.#logs.values()) if (first) entries.push(entryOf(first.event))
    return entries.filter((entry) => matches(entry, filter)).sort(byCreation)
  }

  async putBlob(content: BlobContent, media: BlobRef['media']): Promise<BlobRef> {
    this.#assertOpen()
    const { chunks, ref } = measured(content, media)
    const parts: Uint8Array[] = []
    for await (const chunk of chunks) parts.push(chunk)
    const blob = ref()
    if (!this.#blobs.has(blob.sha256)) this.#blobs.set(blob.sha256, Buffer.concat(parts))
    return blob
  }

  async *readBlob(digest: string): AsyncIterable<Uint8Array> {
    this.#assertOpen()
    const content = this.#blobs.get(digest)
    if (!content) throw missingBlob(digest, 'this store')
    if (content.length > 0) yield Buffer.from(content)
  }

  async putSnapshot(agentId: string, snapshot: Snapshot): Promise<void> {
    this.#assertOpen()
    const others = (this.#snapshots.get(agentId) ?? []).filter(({ seq }) => seq !== snapshot.seq)
    this.#snapshots.set(
      agentId,
      [...others, snapshot].sort((a, b) => a.seq - b.seq),
    )
  }

  async getSnapshot(agentId: string, seqMax: number): Promise<Snapshot | undefined> {
    this.#assertOpen()
    return this.#snapshots.get(agentId)?.findLast(({ seq }) => seq <= seqMax)
  }

  async check(): Promise<[]> {
    this.#assertOpen()
    return []
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#wake()
  }

  #head(agentId: string): Head | undefined {
    const last = this.#logs.get(agentId)?.at(-1)?.event
    return last && { seq: last.seq, hash: last.hash }
  }

  #log(agentId: string): readonly Sealed[] {
    const log = this.#logs.get(agentId)
    if (!log) throw new TwotrackError('missing', `There is no log of ${agentId} in this store.`)
    return log
  }

  #news(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake)
        signal.removeEventListener('abort', wake)
        resolve()
      }
      this.#waiting.add(wake)
      signal.addEventListener('abort', wake)
    })
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake()
  }

  #assertOpen(): void {
    if (this.#closed) throw new TwotrackError('closed', 'This store is closed.')
  }
}
