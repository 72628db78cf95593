import type { BlobRef, Event, Header } from '../event/event.ts'
import type { Opened, Sealed } from '../event/line.ts'
import type { Finding } from './finding.ts'

/**
 * Logs of events and blobs, as everybody uses them; `storeOver` makes one of an engine. Its promises, checked by
 * `storeSuite` in `twotrack/testing`:
 *
 * - A log exists from its first event on. Before that `read` and `tail` throw `missing`, `head` is undefined and
 *   `list` does not name it, even while a writer has it open.
 * - A log has one writer at a time; where the engine has leases, across processes. `open` throws `locked` and says who
 *   writes; a writer that is gone stands in nobody's way.
 * - `append` resolves when the events are on disk (durability `always`) or handed to the system (`interval`).
 *   Appends of one writer keep their order; many at once share one sync.
 * - Reading needs no lock and never sees half an event.
 * - Damage is never skipped: reading yields the good events before it, then throws `damaged` with
 *   `details: {line, …}` and where that line is stored.
 */
export interface Store {
  readonly kind: string
  /** Which of its kind it is, where that does not follow from the folder of a project: `host:5432/database project`. */
  readonly place?: string
  /** Opens a log for writing, creating it if it does not exist. @internal */
  open(agentId: string): Promise<LogWriter>
  /** Events with `from ≤ seq ≤ to`, in order. Throws `missing` if there is no such log. */
  read(
    agentId: string,
    range?: { readonly from?: number; readonly to?: number; readonly raw?: boolean },
  ): AsyncIterable<Event>
  /** The same as checked lines, pruned payloads included; what `verify` reads. @internal */
  readLines(agentId: string, range?: Range): AsyncIterable<Opened>
  /** `read`, then whatever is appended, by any process, until `signal` aborts. */
  tail(agentId: string, options: { from?: number; signal: AbortSignal }): AsyncIterable<Event>
  /** `list`, then each log that comes, by any process, until `signal` aborts. */
  tailList(options: { filter?: LogFilter; signal: AbortSignal }): AsyncIterable<LogEntry>
  /** The last event's seq and hash; undefined if there is no such log. */
  head(agentId: string): Promise<Head | undefined>
  /**
   * Logs that match every given field, as their first events say, in order of creation (ties by agent id:
   * `byCreation` in log-entry.ts).
   */
  list(filter?: LogFilter): Promise<LogEntry[]>
  /** Those that began last, or before `page.before`: the newest first, at most `page.limit`, fewer where there are no more. */
  newest(
    filter: LogFilter,
    page: { readonly before?: Pick<LogEntry, 'created' | 'agent_id'>; readonly limit: number },
  ): Promise<readonly LogEntry[]>
  /** Every log, those of runs too, one page after another in an order of the engine's own. @internal */
  each(): AsyncIterable<LogEntry>
  /**
   * Stores bytes under their digest; durable when it resolves. Storing them twice is one blob. A stream is
   * never held in memory as a whole.
   */
  putBlob(content: Uint8Array | AsyncIterable<Uint8Array>, media: BlobRef['media']): Promise<BlobRef>
  /** The bytes of a blob, or a range of them. Throws `missing`, or `damaged` at the latest after the last chunk. */
  readBlob(digest: string, range?: { readonly from: number; readonly to: number }): AsyncIterable<Uint8Array>
  /**
   * Removes blobs that no event names. Whoever writes meanwhile loses nothing: what was stored since the oldest open log
   * was opened stays, and so does all while a log can't be read. With `dry_run` it only says what would go.
   * @internal
   */
  sweep(options: SweepOptions): Promise<Swept>
  /**
   * Compresses a log that nobody writes. It reads as before, and opening it for writing unpacks it. Gives the bytes that
   * this saves: 0 if it is compressed already, or not worth it. Throws `locked` and `missing`.
   * @internal
   */
  archive(agentId: string): Promise<number>
  /** Whether a log is compressed now. @internal */
  isArchived(agentId: string): Promise<boolean>
  /**
   * Gives free space back to the system; says what may still hold bytes of what was removed. Of stores in files nothing does.
   * @internal
   */
  reclaim(): Promise<readonly string[]>
  /**
   * What is wrong with the parts that no log covers (indexes, blobs nothing refers to, lock files, torn tails).
   * @internal
   */
  check(): Promise<Finding[]>
  /** Closes open writers and ends tails; everything after throws `closed`. Closing twice is fine. */
  close(): Promise<void>
}

export interface LogWriter {
  /** The last event that `append` accepted, durable or not yet; seq 0 and the genesis hash for an empty log. */
  readonly head: Head
  /** Set when opening had to cut a torn tail. */
  readonly recovered?: Recovery
  /**
   * Appends events that follow `expectedSeq`, all or none. Throws `conflict` if the log's last seq is another,
   * `bad_event` if they do not continue its chain, and leaves the log as it was. After a failed write the writer refuses
   * everything else: open it again. After `close`: `closed`.
   */
  append(events: readonly Sealed[], expectedSeq: number): Promise<void>
  /**
   * Writes the log anew with another line in the place of each, or the same, and further events after the last: all of it
   * or nothing. Each keeps its header. Throws `bad_event` for one that does not, and leaves the log as it was.
   */
  rewrite(
    change: (line: Uint8Array, opened: Opened) => Uint8Array,
    end: (head: Head, last: Header) => readonly Sealed[],
  ): Promise<void>
  /** Syncs what is pending and gives up the lock. Closing twice is fine. */
  close(): Promise<void>
}

export interface SweepOptions {
  /** What was stored in this time stays as well: an event that names it may be on its way from elsewhere. */
  readonly unused_ms: number
  readonly dry_run?: boolean
  /** Events whose raw part is to go: for a dry run, what they name is not named. */
  readonly without?: (header: Header) => boolean
  /** Only blobs of which this is true. */
  readonly only?: (digest: string) => Promise<boolean>
}

/** What a sweep removed, or would remove: blobs, and the bytes that they take in the store. */
export interface Swept {
  readonly blobs: number
  readonly bytes: number
  /** Blobs that no event names, and that stay for now: whoever writes may be about to name them. */
  readonly waiting: number
}

/** Bytes `from` up to and without `to`. */
export type ByteRange = NonNullable<Parameters<Store['readBlob']>[1]>

export type BlobContent = Parameters<Store['putBlob']>[0]

interface Range {
  readonly from?: number
  readonly to?: number
}

export interface ReadOptions extends Range {
  /** False: raw parts are checked and then left out, for who only folds. */
  readonly raw?: boolean
}

export interface Head {
  readonly seq: number
  readonly hash: string
}

export interface LogFilter {
  readonly node_id?: string
  readonly run_id?: string
  readonly operation?: string
}

/** What the indexes know of a log. */
export interface LogEntry {
  readonly agent_id: string
  readonly run_id: string
  readonly operation: string
  readonly node_id: string
  readonly created: string
}

export interface Recovery {
  /** Bytes cut off the end, and where they are kept. */
  readonly bytes: number
  readonly offset: number
  readonly kept: string
}

export type Durability = 'always' | { readonly interval_ms: number }
export type IndexName = 'node' | 'run' | 'operation'
export const indexNames: readonly IndexName[] = ['node', 'run', 'operation']

/** A whole blob in memory, for callers that know it is small enough. */
export async function getBlob(store: Store, digest: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of store.readBlob(digest)) chunks.push(chunk)
  return Buffer.concat(chunks)
}
