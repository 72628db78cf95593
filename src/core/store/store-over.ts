import { setTimeout as sleep } from 'node:timers/promises'
import { TwotrackError } from '../../errors.ts'
import { type Opened, toEvent } from '../event/line.ts'
import { namedBlobs, putBlob, readBlob } from './blob.ts'
import type { Engine, StoredLog } from './engine.ts'
import { byCreation, entryIn, matches } from './log-entry.ts'
import { missingLog, readHead, readLines } from './read.ts'
import type { LogEntry, LogFilter, LogWriter, Store } from './store.ts'
import { openWriter } from './writer.ts'

/** Logs that are asked of an engine at once. */
const LIST_PAGE_LOGS = 10_000
/** How often a log is looked at where an engine does not tell of changes. */
const TAIL_POLL_MS = 50

/** The events and blobs that an engine holds as bytes. */
export function storeOver(engine: Engine): Store {
  const closing = new AbortController()
  const writers = new Map<string, LogWriter | undefined>()
  let closed: Promise<void> | undefined
  /** The engine, as long as the store is open. */
  const opened = (): Engine => {
    if (closed) throw new TwotrackError('closed', `This ${engine.kind} store is closed; open it again.`)
    return engine
  }
  const { maintain } = engine

  /** Undefined for a log of which nothing can be said. */
  const listed = async (filter: LogFilter): Promise<(LogEntry | undefined)[]> => {
    const entries: (LogEntry | undefined)[] = []
    let after: string | undefined
    do {
      const page = { limit: LIST_PAGE_LOGS, ...(after === undefined ? {} : { after }) }
      const { logs, next } = await opened().list(filter, page)
      entries.push(...logs.map(entryOfLog))
      after = next
    } while (after !== undefined)
    return entries
  }
  const list = async (filter: LogFilter): Promise<LogEntry[]> =>
    (await listed(filter))
      .flatMap((entry) => (entry && matches(entry, filter) ? [entry] : []))
      .sort(byCreation)

  /** Calls `look` now and after each change until it says that it is done, the signal aborts or the store is closed. */
  async function* following<T>(
    id: string | undefined,
    signal: AbortSignal,
    look: (aborted: AbortSignal) => AsyncIterable<T>,
  ): AsyncGenerator<T> {
    const either = AbortSignal.any([signal, closing.signal])
    const changes = changesOf(opened(), id, either)
    try {
      do {
        for await (const item of look(either)) {
          if (either.aborted) return
          yield item
        }
      } while (await changes.next())
    } finally {
      changes.end()
    }
  }

  return {
    kind: engine.kind,
    can: { watch: !!engine.watch, lease: !!engine.lease, maintain: !!maintain },

    async open(agentId) {
      opened()
      if (writers.has(agentId))
        throw new TwotrackError(
          'locked',
          `Log ${agentId} is being written by this process (${process.pid}) already. Close that writer first.`,
          { details: { pid: process.pid } },
        )
      writers.set(agentId, undefined)
      try {
        const writer = await openWriter(engine, agentId, () => writers.delete(agentId))
        writers.set(agentId, writer)
        return writer
      } catch (thrown) {
        writers.delete(agentId)
        throw thrown
      }
    },

    async *read(agentId, range = {}) {
      for await (const line of readLines(opened(), agentId, range)) yield toEvent(line)
    },

    async *readLines(agentId, range = {}) {
      yield* readLines(opened(), agentId, range)
    },

    async *tail(agentId, { from = 1, signal }) {
      let next = Math.max(from, 1)
      // The event before is read again, so that the first new one is checked against it.
      const look = () => readLines(engine, agentId, { from: next - 1 })
      for await (const line of following<Opened>(agentId, signal, look)) {
        if (line.header.seq < next) continue
        next = line.header.seq + 1
        yield toEvent(line)
      }
    },

    async *tailList({ filter = {}, signal }) {
      const seen = new Set<string>()
      async function* look() {
        yield* await list(filter)
      }
      for await (const entry of following<LogEntry>(undefined, signal, look)) {
        if (seen.has(entry.agent_id)) continue
        seen.add(entry.agent_id)
        yield entry
      }
    },

    head: async (agentId) => readHead(opened(), agentId),
    list: async (filter = {}) => list(filter),
    putBlob: async (content, media) => putBlob(opened(), content, media),

    async *readBlob(digest, range) {
      yield* readBlob(opened(), digest, range)
    },

    async sweep(options) {
      const { only = async () => true, without = () => false } = options
      if (!opened().maintain || !maintain) return { blobs: 0, bytes: 0, waiting: 0 }
      return maintain.sweep(async () => {
        const named = await namedBlobs(engine, await listed({}), without)
        return async (digest) => named !== undefined && !named.has(digest) && (await only(digest))
      }, options)
    },

    async archive(agentId) {
      if (!(await opened().head(agentId))) throw missingLog(engine, agentId)
      return maintain ? maintain.archive(agentId) : 0
    },

    async isArchived(agentId) {
      opened()
      return maintain ? maintain.isArchived(agentId) : false
    },

    async reclaim() {
      opened()
      return maintain ? maintain.reclaim() : []
    },

    async check() {
      opened()
      return maintain ? maintain.check() : []
    },

    close() {
      closed ??= closeAll()
      return closed
    },
  }

  async function closeAll(): Promise<void> {
    closing.abort()
    const ended = await Promise.allSettled([...writers.values()].map((writer) => writer?.close()))
    await engine.close()
    for (const result of ended) if (result.status === 'rejected') throw result.reason
  }
}

/** What a log's first event says; where that is damaged, what is remembered of it. */
function entryOfLog({ first, isOf, known }: StoredLog): LogEntry | undefined {
  const entry = entryIn(first)
  return entry && isOf(entry.agent_id) ? entry : entry ? undefined : known
}

/** Waits for what an engine tells of changes, or looks again and again where it tells nothing. */
function changesOf(engine: Engine, id: string | undefined, signal: AbortSignal) {
  let changed = false
  let wake = () => {}
  const tell = () => {
    changed = true
    wake()
  }
  const stop = engine.watch?.(id, tell)
  signal.addEventListener('abort', tell)
  return {
    /** False when there is nothing more to wait for. */
    async next(): Promise<boolean> {
      if (!stop) await sleep(TAIL_POLL_MS, undefined, { signal }).catch(() => {})
      else if (!changed && !signal.aborted)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      changed = false
      return !signal.aborted
    },
    end() {
      signal.removeEventListener('abort', tell)
      stop?.()
    },
  }
}
