import { basename, dirname, join, resolve } from 'node:path'
import { missingBlob } from '../../core/store/blob.ts'
import { assertHead, endedLease } from '../../core/store/chain.ts'
import { encodeId } from '../../core/store/encode-id.ts'
import type { Engine, Lease } from '../../core/store/engine.ts'
import { assertPath } from '../../core/store/given.ts'
import { readHead } from '../../core/store/read.ts'
import { indexNames, type Store } from '../../core/store/store.ts'
import { storeOver } from '../../core/store/store-over.ts'
import { watchBy } from '../../core/store/watch.ts'
import { makeFolder, namesIn } from '../../files/disk.ts'
import { type FileLease, settledBefore, takeLease } from '../../files/lease.ts'
import type { Connection } from '../../files/sqlite.ts'
import { dropUnfinishedBlobs, insertBlob, readChunks, sweepRows } from './blobs.ts'
import { check } from './check.ts'
import { Database } from './database.ts'
import { existingIndexes, keepIndexes } from './indexes.ts'
import { encodeKeyPart, entryOfKey } from './key.ts'
import {
  firstLines,
  insertLines,
  isPacked,
  lastSeq,
  logLines,
  packRows,
  replaceLine,
  unpackRows,
} from './lines.ts'

export interface KvOptions {
  /** The SQLite file; it and its folder are created by the first write. */
  readonly file: string
  readonly durability?: 'always' | { readonly interval_ms: number }
  /** The indexes to keep, for other programs that read the file. All by default. */
  readonly indexing?: readonly ('node' | 'run' | 'operation')[]
}

/** A store in one SQLite file: a row an event, under the key `trace:{run}:{operation}:{node}:{turn}:…`. */
export const kvStore = (options: KvOptions): Store => storeOver(kvEngine(options))

export function kvEngine({ file, durability = 'always', indexing = indexNames }: KvOptions): Engine {
  assertPath(file, 'file')
  const path = resolve(file)
  const database = new Database(path, durability, (connection) => {
    keepIndexes(connection, indexing)
    dropUnfinishedBlobs(connection)
  })
  const leases = new Map<string, FileLease>()

  const lease = async (id: string): Promise<Lease> => {
    makeFolder(dirname(path))
    const lock = await takeLease(lockOf(path, id), `Log ${id}`)
    try {
      await database.commit((connection) => unpackRows(connection, id))
    } catch (thrown) {
      await lock.release()
      throw thrown
    }
    const taken: FileLease = {
      ...lock,
      async release() {
        if (leases.get(id) === taken) leases.delete(id)
        await lock.release()
      },
    }
    leases.set(id, taken)
    return taken
  }
  /** A transaction of who holds a lease; without one, of who takes it for as long as the work takes. */
  const holding = async <T>(id: string, held: Lease | undefined, work: (connection: Connection) => T) => {
    const { release } = held ?? (await lease(id))
    const mine = leases.get(id)
    try {
      return await database.commit((connection) => {
        if (!mine?.isMine() || (held && held !== mine)) throw endedLease(id)
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
      if (connection) yield* logLines(connection, id, range)
    },

    async head(id) {
      const connection = database.reading()
      const from = connection ? lastSeq(connection, id) : 0
      if (connection && from > 0) for (const line of logLines(connection, id, { from, to: from })) return line
      return undefined
    },

    async list(_filter, { after = '', limit }) {
      const connection = database.reading()
      const rows = connection ? firstLines(connection, after, limit) : []
      const logs = rows.map(({ agent, key, first }) => ({
        first,
        isOf: (id: string) => encodeKeyPart(id) === agent,
        known: entryOfKey(key),
      }))
      const last = rows.at(-1)
      return { logs, ...(last && rows.length === limit ? { next: last.agent } : {}) }
    },

    putBlob: (content, digest) => insertBlob(database, content, digest),

    async *readBlob(digest, range) {
      const connection = database.reading()
      if (!connection) throw missingBlob(digest, file)
      yield* readChunks(connection, digest, range)
    },

    watch: (_id, changed) => watchBy(() => database.version(), changed),

    maintain: {
      rewrite: (id, { next, end }, held) =>
        holding(id, held, (connection) => {
          for (const stored of logLines(connection, id)) {
            const { bytes } = next(stored)
            if (bytes !== stored.bytes) replaceLine(connection, stored.key, bytes)
          }
          insertLines(connection, id, end(), existingIndexes(connection))
        }),

      async archive(id) {
        const connection = database.reading()
        return connection && isPacked(connection, id)
          ? 0
          : holding(id, undefined, (writing) => packRows(writing, id))
      },

      async isArchived(id) {
        const connection = database.reading()
        return connection !== undefined && isPacked(connection, id)
      },

      async sweep(find, { unused_ms, dry_run = false }) {
        const connection = database.reading()
        if (!connection) return { blobs: 0, bytes: 0, waiting: 0 }
        const usedBefore = await settledBefore(await leasesAt(path), unused_ms)
        return sweepRows(database, connection, await find(), usedBefore, dry_run)
      },

      async reclaim() {
        if (database.reading()) await database.reclaim()
        return []
      },

      async check() {
        const connection = database.reading()
        return connection ? check(connection) : []
      },
    },

    async close() {
      for (const held of leases.values()) await held.release()
      await database.close()
    },
  }
  return engine
}

const lockOf = (path: string, id: string): string => `${path}-${encodeId(id)}.lock`

/** The notes of all leases beside the file. */
const leasesAt = async (path: string): Promise<string[]> =>
  (await namesIn(dirname(path)))
    .filter((name) => name.startsWith(`${basename(path)}-`) && name.endsWith('.lock'))
    .map((name) => join(dirname(path), name))
