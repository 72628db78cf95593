import { missingBlob } from '../core/store/blob.ts'
import { assertHead, endedLease } from '../core/store/chain.ts'
import type { Engine, Lease, Line } from '../core/store/engine.ts'
import type { Store } from '../core/store/store.ts'
import { storeOver } from '../core/store/store-over.ts'

/** Holds everything in memory, for tests and for work that should leave nothing behind. */
export const memoryStore = (): Store => storeOver(memoryEngine())

type Stored = Pick<Line, 'bytes' | 'hash'> & { readonly seq: number }

export function memoryEngine(): Engine {
  const logs = new Map<string, Stored[]>()
  /** When each was last stored, and when each lease began, counted in blobs stored: the order is all that counts. */
  const blobs = new Map<string, { readonly content: Uint8Array; readonly stored: number }>()
  const leases = new Map<string, Lease & { readonly began: number }>()
  let puts = 0
  let generations = 0
  const watchers = new Set<() => void>()
  const stored = ({ bytes, hash, header }: Line): Stored => ({
    bytes: Buffer.from(bytes),
    hash,
    seq: header.seq,
  })

  return {
    kind: 'memory',

    async lease(id) {
      const lease = { generation: ++generations, began: puts, release: async () => void leases.delete(id) }
      leases.set(id, lease)
      return lease
    },

    async append(id, lines, expected, lease) {
      if (lease && lease !== leases.get(id)) throw endedLease(id)
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
      blobs.set(digest(), { content: Buffer.concat(parts), stored: ++puts })
    },

    async *readBlob(digest, { from, to } = { from: 0, to: Number.POSITIVE_INFINITY }) {
      const { content } = blobs.get(digest) ?? {}
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
      async sweep(find, { dry_run = false }) {
        const swept = { blobs: 0, bytes: 0, waiting: 0 }
        const settled = Math.min(puts, ...[...leases.values()].map(({ began }) => began))
        const mayGo = await find()
        for (const [digest] of [...blobs]) {
          if (!(await mayGo(digest))) continue
          const { content, stored } = blobs.get(digest) ?? { stored: puts }
          if (stored > settled) swept.waiting++
          else {
            if (!dry_run) blobs.delete(digest)
            swept.blobs++
            swept.bytes += content?.length ?? 0
          }
        }
        return swept
      },
      archive: async () => 0,
      isArchived: async () => false,
      reclaim: async () => [],
      check: async () => [],
    },

    async close() {},
  }
}
