import { GENESIS } from '../core/event/event.ts'
import { type Opened, open, type Sealed, toEvent } from '../core/event/line.ts'
import { measured, missingBlob } from '../core/store/blob.ts'
import { closedWriter, follow, isPastPause, rewriting } from '../core/store/follow.ts'
import { byCreation, entryOf, matches } from '../core/store/log-entry.ts'
import type { Head, ReadOptions, Store } from '../core/store/store.ts'
import { TwotrackError } from '../errors.ts'
import { sha256 } from '../sha256.ts'

/** Holds everything in memory, for tests and for work that should leave nothing behind. */
export function memoryStore(): Store {
  const logs = new Map<string, Sealed[]>()
  const writers = new Set<string>()
  const blobs = new Map<string, Uint8Array>()
  let closed = false

  const assertOpen = () => {
    if (closed) throw new TwotrackError('closed', 'This store is closed.')
  }
  const headOf = (agentId: string): Head | undefined => {
    const last = logs.get(agentId)?.at(-1)?.event
    return last && { seq: last.seq, hash: last.hash }
  }
  const headToFollow = (agentId: string) => headOf(agentId) ?? { seq: 0, hash: GENESIS }

  async function* readLines(
    agentId: string,
    { from = 1, to = Infinity, raw = true }: ReadOptions = {},
  ): AsyncGenerator<Opened> {
    assertOpen()
    const log = logs.get(agentId)
    if (!log) throw new TwotrackError('missing', `There is no log of ${agentId} in this store.`)
    // Through the line's bytes, so that what is read is what any other store would give.
    for (const { line } of log.slice(Math.max(from, 1) - 1, to))
      yield open(Buffer.from(line), sha256, { raw })
  }

  return {
    kind: 'memory',
    readLines,

    async open(agentId) {
      assertOpen()
      if (writers.has(agentId)) {
        const message = `Log ${agentId} is open for writing already. Close that writer first.`
        throw new TwotrackError('locked', message)
      }
      writers.add(agentId)
      let ended = false
      return {
        get head() {
          return headToFollow(agentId)
        },
        async append(events, expectedSeq) {
          assertOpen()
          if (ended) throw closedWriter(agentId)
          follow(agentId, headToFollow(agentId), events, expectedSeq)
          if (events.length === 0) return
          const log = logs.get(agentId) ?? []
          logs.set(agentId, log)
          log.push(...events)
        },
        async rewrite(...steps) {
          assertOpen()
          const anew = rewriting(agentId, steps)
          const changed = (logs.get(agentId) ?? []).map((sealed): Sealed => {
            const before = Buffer.from(sealed.line)
            const after = anew.next(before, open(before, sha256))
            return after === before
              ? sealed
              : { event: toEvent(open(after, sha256)), line: Buffer.from(after).toString() }
          })
          logs.set(agentId, [...changed, ...anew.end()])
        },
        async close() {
          if (!ended) writers.delete(agentId)
          ended = true
        },
      }
    },

    async *read(agentId, range) {
      for await (const opened of readLines(agentId, range)) yield toEvent(opened)
    },

    async *tail(agentId, { from = 1, signal }) {
      let next = from
      do {
        for await (const opened of readLines(agentId, { from: next })) {
          if (signal.aborted || closed) return
          next = opened.header.seq + 1
          yield toEvent(opened)
        }
      } while ((await isPastPause(signal)) && !closed)
    },

    async head(agentId) {
      assertOpen()
      return headOf(agentId)
    },

    async list(filter = {}) {
      assertOpen()
      const entries = [...logs.values()].flatMap(([first]) => (first ? [entryOf(first.event)] : []))
      return entries.filter((entry) => matches(entry, filter)).sort(byCreation)
    },

    async putBlob(content, media) {
      assertOpen()
      const { chunks, ref } = measured(content, media)
      const parts: Uint8Array[] = []
      for await (const chunk of chunks) parts.push(chunk)
      const blob = ref()
      if (!blobs.has(blob.sha256)) blobs.set(blob.sha256, Buffer.concat(parts))
      return blob
    },

    async *readBlob(digest) {
      assertOpen()
      const content = blobs.get(digest)
      if (!content) throw missingBlob(digest, 'this store')
      if (content.length > 0) yield Buffer.from(content)
    },

    async sweep(isNeeded, { dry_run = false }) {
      assertOpen()
      const unneeded = [...blobs].filter(([digest]) => !isNeeded(digest))
      if (!dry_run) for (const [digest] of unneeded) blobs.delete(digest)
      return { blobs: unneeded.length, bytes: unneeded.reduce((sum, [, { length }]) => sum + length, 0) }
    },

    async archive(agentId) {
      if (!headOf(agentId)) throw new TwotrackError('missing', `There is no log of ${agentId} in this store.`)
      return 0
    },

    isArchived: async () => false,
    async reclaim() {},

    async check() {
      assertOpen()
      return []
    },

    async close() {
      closed = true
    },
  }
}
