import { resolve } from 'node:path'
import { missingBlob } from '../../core/store/blob.ts'
import { assertHead } from '../../core/store/chain.ts'
import type { Engine, Lease } from '../../core/store/engine.ts'
import { readHead } from '../../core/store/read.ts'
import { type Durability, type IndexName, indexNames, type Store } from '../../core/store/store.ts'
import { storeOver } from '../../core/store/store-over.ts'
import { RENEW_MS } from '../../files/lock.ts'
import type { Connection } from '../../files/sqlite.ts'
import { isArchived, packLog } from './archive.ts'
import { dropUnfinishedBlobs, putBlob, readChunks, sweepBlobs } from './blobs.ts'
import { check } from './check.ts'
import { Database } from './database.ts'
import { existingIndexes, keepIndexes } from './indexes.ts'
import { encodeKeyPart, entryOfKey } from './key.ts'
import { assertLease, endLease, renewLeases, takeLease } from './lease.ts'
import { insertLines, lastSeq, linesOf } from './lines.ts'
import { Owners } from './owner.ts'
import { text } from './row.ts'

export interface KvOptions {
  /** The SQLite file; it and its folder are created by the first write. */
  readonly file: string
  readonly durability?: Durability
  /** The indexes to keep, for other programs that read the file. All by default. */
  readonly indexing?: readonly IndexName[]
}

/** A store in one SQLite file: a row an event, under the key `trace:{run}:{operation}:{node}:{turn}:…`. */
export const kvStore = (options: KvOptions): Store => storeOver(kvEngine(options))

const WHOLE = { from: 1, to: Number.POSITIVE_INFINITY }
/** How often the file is looked at for commits of other processes, for who waits for changes. */
const LOOK_MS = 50

export function kvEngine({ file, durability = 'always', indexing = indexNames }: KvOptions): Engine {
  const owners = new Owners(resolve(file))
  const database = new Database(file, durability, (connection) => {
    keepIndexes(connection, indexing)
    dropUnfinishedBlobs(connection, owners)
  })
  const leases = new Set<Lease>()
  let renewing: NodeJS.Timeout | undefined

  const lease = async (id: string): Promise<Lease> => {
    const generation = await database.commit((connection) => takeLease(connection, id, owners))
    renewing ??= setInterval(() => {
      database.commit((connection) => renewLeases(connection, owners)).catch(() => {})
    }, RENEW_MS).unref()
    const taken: Lease = {
      generation,
      async release() {
        if (leases.delete(taken)) await database.commit((connection) => endLease(connection, id, generation))
      },
    }
    leases.add(taken)
    return taken
  }
  /** A transaction of who holds a lease; without one, of who takes it for as long as the work takes. */
  const holding = async <T>(id: string, held: Lease | undefined, work: (connection: Connection) => T) => {
    const { generation, release } = held ?? (await lease(id))
    try {
      return await database.commit((connection) => {
        assertLease(connection, id, generation, owners)
        return work(connection)
      })
    } finally {
      if (!held) await release()
    }
  }

  const engine: Engine = {
    kind: 'kv',
    lease,

    async append(id, lines, expected, held) {
      // Who holds a lease knows the last hash, and nobody else can have added a line.
      if (!held) assertHead(id, await readHead(engine, id), expected)
      await holding(id, held, (connection) => {
        assertHead(id, { ...expected, seq: lastSeq(connection, id) }, expected)
        insertLines(connection, id, lines, existingIndexes(connection))
      })
    },

    async *read(id, range) {
      const connection = database.reading()
      if (connection) yield* linesOf(connection, id, range)
    },

    async head(id) {
      const connection = database.reading()
      const from = connection ? lastSeq(connection, id) : 0
      if (connection && from > 0) for (const line of linesOf(connection, id, { from, to: from })) return line
      return undefined
    },

    async list(_filter, { after = '', limit }) {
      const query = `SELECT event.agent, event.key, CAST(value AS BLOB) AS line
        FROM twotrack_event AS event LEFT JOIN kv_store USING (key)
        WHERE seq = 1 AND agent > ? ORDER BY agent LIMIT ?`
      const rows = database.reading()?.all(query, after, limit) ?? []
      const logs = rows.map((row) => ({
        first: row['line'] instanceof Uint8Array ? row['line'] : new Uint8Array(0),
        isOf: (id: string) => encodeKeyPart(id) === row['agent'],
        known: entryOfKey(text(row, 'key')),
      }))
      const last = rows.at(-1)
      return { logs, ...(last && rows.length === limit ? { next: text(last, 'agent') } : {}) }
    },

    putBlob: (content, digest) => putBlob(database, content, digest, owners),

    async *readBlob(digest, range) {
      const connection = database.reading()
      if (!connection) throw missingBlob(digest, file)
      yield* readChunks(connection, digest, range)
    },

    watch(_id, changed) {
      let before = database.version()
      const timer = setInterval(() => {
        const now = database.version()
        if (now === before) return
        before = now
        changed()
      }, LOOK_MS)
      return () => clearInterval(timer)
    },

    maintain: {
      rewrite: (id, { next, end }, held) =>
        holding(id, held, (connection) => {
          for (const stored of linesOf(connection, id, WHOLE)) {
            const { bytes } = next(stored)
            const update = 'UPDATE kv_store SET value = CAST(? AS TEXT) WHERE key = ?'
            if (bytes !== stored.bytes) connection.run(update, bytes, stored.key)
          }
          insertLines(connection, id, end(), existingIndexes(connection))
        }),

      async archive(id) {
        const connection = database.reading()
        return connection && isArchived(connection, id)
          ? 0
          : holding(id, undefined, (writing) => packLog(writing, id))
      },

      async isArchived(id) {
        const connection = database.reading()
        return connection !== undefined && isArchived(connection, id)
      },

      async sweep(isNeeded, options) {
        if (!database.reading()) return { blobs: 0, bytes: 0 }
        return database.commit((connection) => sweepBlobs(connection, isNeeded, options))
      },

      async reclaim() {
        if (database.reading()) await database.reclaim()
      },

      async check() {
        const connection = database.reading()
        return connection ? check(connection, owners) : []
      },
    },

    async close() {
      clearInterval(renewing)
      try {
        for (const taken of leases) await taken.release()
      } finally {
        database.close()
        owners.release()
      }
    },
  }
  return engine
}
