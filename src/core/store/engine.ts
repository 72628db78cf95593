import type { Event } from '../event/event.ts'
import type { Finding } from './finding.ts'
import type { Head, LogEntry, LogFilter } from './store.ts'

/**
 * The port to whatever holds bytes: lines of logs and blobs. `storeOver` makes a `Store` of it; decoding, chain checks,
 * filters, following and the queue of a writer stand there, once. `storeSuite` in `twotrack/testing` has a block of tests
 * for what is required here and one for each capability.
 *
 * A log exists from its first line on. Ids are any text; no two may share a place (`encodeId`).
 */
export interface Engine {
  readonly kind: string
  /** For one that is not in the folder of a project: which of its kind it is, without a password. */
  readonly place?: string
  /**
   * Adds lines after the one that is `expected` (seq 0 and the genesis hash for a new log), all or none, as durable as
   * promised when it resolves. Throws `conflict` when the log ends elsewhere, or when the lease is not the newest.
   */
  append(id: string, lines: readonly Line[], expected: Head, lease?: Lease): Promise<void>
  /** Lines `from` to `to`, as far as there are some. Throws `damaged` where one is gone. */
  read(id: string, range: { readonly from: number; readonly to: number }): AsyncIterable<StoredLine>
  /** The last line; undefined where there is no log. */
  head(id: string): Promise<StoredLine | undefined>
  /**
   * The logs after `page.after`, in an order of the engine's own, at most `page.limit`; `next` is what the next page begins after. An engine that can look up the
   * filter may leave out what does not match; nobody relies on it.
   */
  list(
    filter: LogFilter,
    page: { readonly after?: string; readonly limit: number },
  ): Promise<{ readonly logs: readonly StoredLog[]; readonly next?: string }>
  /**
   * Stores bytes under their digest, durable when it resolves. `digest` knows it once the last chunk went by, and before
   * that for bytes in memory. Of a stream that fails nothing is kept.
   */
  putBlob(content: Uint8Array | AsyncIterable<Uint8Array>, digest: () => string): Promise<void>
  /**
   * The bytes of a blob, or those of a range of it. Throws `missing`. Of a range it checks what it reads; of a whole blob
   * the digest is checked by the store above.
   */
  readBlob(digest: string, range?: { readonly from: number; readonly to: number }): AsyncIterable<Uint8Array>
  close(): Promise<void>

  /**
   * The logs that were created before `page.before`, the newest first, logs of one instant by agent id, the last first: at
   * most `page.limit`, fewer only where there are no more. What does not match may be left out. Without it the store goes through all pages.
   */
  newest?(
    filter: LogFilter,
    page: { readonly before?: Pick<LogEntry, 'created' | 'agent_id'>; readonly limit: number },
  ): Promise<readonly StoredLog[]>
  /**
   * Calls `changed` soon after any process appended to the log, or without an id after a log came or went; once too often
   * does no harm. What it returns ends it.
   */
  watch?(id: string | undefined, changed: () => void): () => void
  /**
   * Makes this the one writer of a log, or throws `locked` and says who is. A lease has a higher generation than all
   * before it, and what comes with an older one is refused. It ends with its holder, however and on whatever machine that
   * one ends.
   */
  lease?(id: string): Promise<Lease>
  /** What keeps a store small and sound. */
  readonly maintain?: {
    /**
     * Puts what `next` gives in the place of each line and `end` after the last: all of it or nothing. Where all stays the
     * same nothing is written. Headers stay as they are, and so do keys and indexes that are made of them.
     */
    rewrite(
      id: string,
      steps: {
        /** The line in the place of one; its `bytes` are those that were given where it stays as it is. */
        next(stored: StoredLine): Line
        end(): readonly Line[]
      },
      lease?: Lease,
    ): Promise<void>
    /** Compresses a log that nobody writes; gives the bytes that this saves. */
    archive(id: string): Promise<number>
    isArchived(id: string): Promise<boolean>
    /**
     * Removes blobs that may go. Who writes a log stores a blob first, and then the event that names it. So the order
     * counts: first the engine notes the time, or where logs are leased now, the begin of the oldest lease; then it calls
     * `find`, which reads all logs; then it removes what may go and was last stored before the time that it noted. What was
     * stored later is looked at again at the time of removal, and stays.
     */
    sweep(
      /** Whether a blob may be removed; asked only of those that were not stored lately. */
      find: () => Promise<(digest: string) => Promise<boolean>>,
      options: { readonly unused_ms: number; readonly dry_run?: boolean },
    ): Promise<{ readonly blobs: number; readonly bytes: number; readonly waiting: number }>
    /** Gives free space back; says in sentences' parts what may still hold bytes of what was removed, and how long. */
    reclaim(): Promise<readonly string[]>
    check(): Promise<Finding[]>
  }
}

/** A line to store, and what of it an engine may make keys or indexes of. */
export interface Line {
  /** Without a line feed. To be kept exactly: the hashes are of these bytes. */
  readonly bytes: Uint8Array
  readonly hash: string
  readonly header: Pick<Event, 'agent_id' | 'run_id' | 'operation' | 'node_id' | 'seq' | 'turn' | 'timestamp'>
}

export interface StoredLine {
  /** As they are stored, damaged or not; valid until the next line is asked for. */
  readonly bytes: Uint8Array
  /** Where they are, for messages and `details`: a path and an offset, or the key of a row. */
  readonly at?: Readonly<Record<string, string | number>>
}

export interface Lease {
  readonly generation: number
  /** What a write that broke off left at the end of the log, and what became of it. */
  readonly recovered?: { readonly bytes: number; readonly offset: number; readonly kept: string }
  release(): Promise<void>
}

export type Page = Parameters<Engine['list']>[1]
export type NewestPage = Parameters<NonNullable<Engine['newest']>>[1]
export type LogPage = Awaited<ReturnType<Engine['list']>>

export interface StoredLog {
  /** The first line, or the beginning of it with the whole header. */
  readonly first: Uint8Array
  /** Whether this is where the log of an agent is. */
  isOf(agentId: string): boolean
  /** What is remembered of the log, used where its first line is damaged: damage must not hide a log. */
  readonly known?: LogEntry | undefined
}

type Maintain = NonNullable<Engine['maintain']>
export type MayGo = Awaited<ReturnType<Parameters<Maintain['sweep']>[0]>>

export type Rewriting = Parameters<Maintain['rewrite']>[1]
