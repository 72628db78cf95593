import type { Engine, Lease } from '../../core/store/engine.ts'
import type { Store } from '../../core/store/store.ts'
import { storeOver } from '../../core/store/store-over.ts'
import { LEASE_MS_DEFAULT } from '../../limits.ts'
import { downloadBlob, removeBlobs, uploadBlob } from './blobs.ts'
import { checkTables } from './check.ts'
import { connect } from './connections.ts'
import { leases } from './leases.ts'
import { append, headLine, list, newestEntries, numberedLines } from './lines.ts'
import { archive, isArchived, reclaim, rewrite } from './maintain.ts'
import { schemaOf } from './migrations.ts'
import { watching } from './watch.ts'

export interface PostgresOptions {
  /** `postgres://user:password@host:5432/database`; several hosts with commas between them: the one that takes writes is found. */
  readonly url: string
  /** Each project has a schema of its own, made when it is first used. */
  readonly project: string
  /** How long a writer that is not heard of keeps its log, in milliseconds. */
  readonly leaseMs?: number
  /** How many connections may be open at once, besides the one that follows logs. */
  readonly connections?: number
  /** How long is tried again where the database is away, or another of its servers takes over. */
  readonly deadlineMs?: number
}

/** A store in PostgreSQL 15 or later, for agents on many machines. Needs the package `pg`. */
export const postgresStore = (options: PostgresOptions): Store => storeOver(postgresEngine(options))

export function postgresEngine({ project, leaseMs = LEASE_MS_DEFAULT, ...options }: PostgresOptions): Engine {
  const connections = connect({ ...options, schema: schemaOf(project) })
  const { take, releaseAll } = leases(connections, leaseMs)
  const watches = watching(connections)
  /** For who holds a lease; without one, for who takes it for as long as the work takes. */
  const holding = async <T>(
    id: string,
    held: Lease | undefined,
    work: (lease: Lease) => Promise<T>,
  ): Promise<T> => {
    const lease = held ?? (await take(id))
    try {
      return await work(lease)
    } finally {
      if (!held) await lease.release()
    }
  }

  return {
    kind: 'postgres',
    place: `${connections.shown} ${project}`,
    append: (id, lines, expected, lease) => append(connections, id, lines, expected, lease, leaseMs),
    read: (id, range) => numberedLines(connections, id, range),
    head: (id) => headLine(connections, id),
    list: (filter, page) => list(connections, filter, page),
    newest: (filter, page) => newestEntries(connections, filter, page),
    putBlob: (content, digest) => uploadBlob(connections, content, digest),
    readBlob: (digest, range) => downloadBlob(connections, digest, range),
    lease: take,
    watch: watches.watch,

    maintain: {
      rewrite: (id, steps, held) => holding(id, held, (lease) => rewrite(connections, id, steps, lease)),
      archive: (id) => holding(id, undefined, (lease) => archive(connections, id, lease)),
      isArchived: (id) => isArchived(connections, id),
      sweep: (find, options) => removeBlobs(connections, find, options),
      reclaim: () => reclaim(connections),
      check: () => checkTables(connections),
    },

    async close() {
      await watches.close()
      await releaseAll()
      await connections.close()
    },
  }
}
