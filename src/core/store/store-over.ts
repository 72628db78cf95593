import { TwotrackError } from '../../errors.ts'
import { type Opened, toEvent } from '../event/line.ts'
import { namedBlobs, putBlob, readBlob } from './blob.ts'
import type { Engine } from './engine.ts'
import { listedLogs, matching, newest } from './listed.ts'
import { byCreation } from './log-entry.ts'
import { missingLog, readHead, readLines } from './read.ts'
import type { LogEntry, LogFilter, LogWriter, Store } from './store.ts'
import { openWriter } from './writer.ts'

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

  const list = async (filter: LogFilter): Promise<LogEntry[]> => {
    const entries: LogEntry[] = []
    for await (const entry of matching(opened, filter)) entries.push(entry)
    return entries.sort(byCreation)
  }

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
    ...(engine.place === undefined ? {} : { place: engine.place }),

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
    newest: async (filter, page) => newest(opened, filter, page),

    async *each() {
      for await (const entry of listedLogs(opened, {})) if (entry) yield entry
    },

    putBlob: async (content, media) => putBlob(opened(), content, media),

    async *readBlob(digest, range) {
      yield* readBlob(opened(), digest, range)
    },

    async sweep(options) {
      const { only = async () => true, without = () => false } = options
      if (!opened().maintain || !maintain) return { blobs: 0, bytes: 0, waiting: 0 }
      return maintain.sweep(async () => {
        const named = await namedBlobs(engine, listedLogs(opened, {}), without)
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

function lookAgain(look: () => void): () => void {
  const timer = setInterval(look, TAIL_POLL_MS)
  return () => clearInterval(timer)
}

/** Waits for what an engine tells of changes, or looks again and again where it tells nothing. */
function changesOf(engine: Engine, id: string | undefined, signal: AbortSignal) {
  let changed = false
  let wake = () => {}
  const tell = () => {
    changed = true
    wake()
  }
  const stop = engine.watch?.(id, tell) ?? lookAgain(tell)
  signal.addEventListener('abort', tell)
  return {
    /** False when there is nothing more to wait for. */
    async next(): Promise<boolean> {
      if (!changed && !signal.aborted)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      changed = false
      return !signal.aborted
    },
    end() {
      signal.removeEventListener('abort', tell)
      stop()
    },
  }
}
