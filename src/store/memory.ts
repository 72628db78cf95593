import { missingBlob } from '../core/store/blob.ts'
import { assertHead } from '../core/store/chain.ts'
import type { Engine, Line } from '../core/store/engine.ts'
import type { Store } from '../core/store/store.ts'
import { storeOver } from '../core/store/store-over.ts'

/** Holds everything in memory, for tests and for work that should leave nothing behind. */
export const memoryStore = (): Store => storeOver(memoryEngine())

type Stored = Pick<Line, 'bytes' | 'hash'> & { readonly seq: number }

export function memoryEngine(): Engine {
  const logs = new Map<string, Stored[]>()
  const blobs = new Map<string, Uint8Array>()
  const watchers = new Set<() => void>()
  const stored = ({ bytes, hash, header }: Line): Stored => ({
    bytes: Buffer.from(bytes),
    hash,
    seq: header.seq,
  })

  return {
    kind: 'memory',

    async append(id, lines, expected) {
      const log = logs.get(id) ?? []
      assertHead(id, log.at(-1), expected)
      log.push(...lines.map(stored))
      if (log.length > 0) logs.set(id, log)
      for (const changed of watchers) changed()
    },

    async *read(id, { from, to }) {
      yield* (logs.get(id) ?? []).slice(Math.max(from, 1) - 1, to)
    },

    head: async (id) => logs.get(id)?.at(-1),

    async list(_filter, { after = '-1', limit }) {
      const start = Number(after) + 1
      const page = [...logs]
        .slice(start, start + limit)
        .flatMap(([id, [first]]) =>
          first ? [{ first: first.bytes, isOf: (agentId: string) => agentId === id }] : [],
        )
      return { logs: page, ...(start + limit < logs.size ? { next: String(start + limit - 1) } : {}) }
    },

    async putBlob(content, digest) {
      const parts: Uint8Array[] = []
      for await (const chunk of content instanceof Uint8Array ? [content] : content)
        parts.push(Buffer.from(chunk))
      blobs.set(digest(), Buffer.concat(parts))
    },

    async *readBlob(digest, { from, to } = { from: 0, to: Number.POSITIVE_INFINITY }) {
      const content = blobs.get(digest)
      if (!content) throw missingBlob(digest, 'this memory store')
      const part = content.subarray(from, to)
      if (part.length > 0) yield Buffer.from(part)
    },

    watch(_id, changed) {
      watchers.add(changed)
      return () => watchers.delete(changed)
    },

    maintain: {
      async rewrite(id, { next, end }) {
        const changed = (logs.get(id) ?? []).map((line) => stored(next(line)))
        logs.set(id, [...changed, ...end().map(stored)])
      },
      async sweep(isNeeded, { dry_run = false }) {
        const unneeded = [...blobs].filter(([digest]) => !isNeeded(digest))
        if (!dry_run) for (const [digest] of unneeded) blobs.delete(digest)
        return { blobs: unneeded.length, bytes: unneeded.reduce((sum, [, { length }]) => sum + length, 0) }
      },
      archive: async () => 0,
      isArchived: async () => false,
      async reclaim() {},
      check: async () => [],
    },

    async close() {},
  }
}
