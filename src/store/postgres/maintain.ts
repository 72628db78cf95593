import { endedLease } from '../../core/store/chain.ts'
import { encodeId } from '../../core/store/encode-id.ts'
import type { Lease, Rewriting } from '../../core/store/engine.ts'
import { zstdCompressSync } from '../../files/zstd.ts'
import type { Connections } from './connections.ts'
import { arrayOf, type NumberedLine, numberedLines } from './lines.ts'
import { type DatabaseSession, stateOf } from './session.ts'

const ALL = { from: 1, to: Number.POSITIVE_INFINITY }
/** Waiting for a table that is used, and writing it anew. */
const LOCK_MS = 5_000
const VACUUM_MS = 600_000
/** A table above this is not written anew while others wait for it, in bytes. */
const ANEW_BYTES_MAX = 256 * 1024 * 1024

/** Work on a log in one transaction, for who holds its lease. */
const holding = <T>(
  connections: Connections,
  id: string,
  lease: Lease,
  work: (session: DatabaseSession, log: unknown) => Promise<T>,
): Promise<T> =>
  connections.transaction(async (session) => {
    const [log] = await session.ask(
      'SELECT id FROM log WHERE agent = $1 AND generation = $2 AND holder IS NOT NULL FOR UPDATE',
      [encodeId(id), lease.generation],
    )
    if (!log) throw endedLease(id)
    return work(session, log['id'])
  })

export const rewrite = (
  connections: Connections,
  id: string,
  { next, end }: Rewriting,
  lease: Lease,
): Promise<void> =>
  holding(connections, id, lease, async (session, log) => {
    for await (const stored of numberedLines(session, id, ALL)) {
      const { bytes } = next(stored)
      if (bytes !== stored.bytes)
        await session.ask('UPDATE line SET bytes = $3, is_packed = false WHERE log = $1 AND seq = $2', [
          log,
          stored.seq,
          bytes,
        ])
    }
    const added = end()
    const [first] = added
    const last = added.at(-1)
    if (!first || !last) return
    await session.ask(
      `INSERT INTO line (log, seq, bytes)
       SELECT $1, $2 + n - 1, bytes FROM unnest($3::bytea[]) WITH ORDINALITY AS one (bytes, n)`,
      [log, first.header.seq, arrayOf(added.map(({ bytes }) => bytes))],
    )
    await session.ask('UPDATE log SET seq = $2, hash = $3 WHERE id = $1', [log, last.header.seq, last.hash])
  })

/** Compresses the lines of a log where that makes them smaller; gives the bytes that this saves. */
export const archive = (connections: Connections, id: string, lease: Lease): Promise<number> =>
  holding(connections, id, lease, async (session, log) => {
    let saved = 0
    const pack = async ({ bytes, seq, isPacked }: NumberedLine) => {
      const packed = isPacked ? bytes : zstdCompressSync(bytes)
      if (packed.length >= bytes.length) return
      saved += bytes.length - packed.length
      await session.ask('UPDATE line SET bytes = $3, is_packed = true WHERE log = $1 AND seq = $2', [
        log,
        seq,
        packed,
      ])
    }
    for await (const line of numberedLines(session, id, ALL)) await pack(line)
    await session.ask('UPDATE log SET archived = seq WHERE id = $1', [log])
    return saved
  })

export async function isArchived(connections: Connections, id: string): Promise<boolean> {
  const [log] = await connections.ask('SELECT archived = seq AND seq > 0 AS is FROM log WHERE agent = $1', [
    encodeId(id),
  ])
  return log?.['is'] === true
}

/**
 * Writes the tables anew that hold what was removed, or where they are large, or used without a pause, makes their free
 * space used again. Says what may still hold removed bytes then.
 */
export async function reclaim(connections: Connections): Promise<string[]> {
  const left: string[] = []
  for (const table of ['line', 'chunk']) {
    const why = await writtenAnew(connections, table)
    if (why !== undefined)
      left.push(
        `free space in the table "${connections.schema}".${table}, until it is used again (${why}); at a quiet time: VACUUM FULL "${connections.schema}".${table}`,
      )
  }
  left.push(
    "the database's write-ahead log, until the server recycles it; its archive, backups and standbys as far as there are some",
  )
  return left
}

const SIZE_AND_OWNER = `
  SELECT pg_total_relation_size(oid) AS bytes, pg_has_role(relowner, 'USAGE') AS is_owner
  FROM pg_class WHERE oid = $1::text::regclass`

/** Why a table was not written anew; undefined where it was. */
const writtenAnew = (connections: Connections, table: string): Promise<string | undefined> =>
  connections.attempt(async (session) => {
    const name = `"${connections.schema}".${table}`
    const [row] = await session.ask(SIZE_AND_OWNER, [name])
    if (row?.['is_owner'] !== true) return 'this role does not own it'
    const bytes = Number(row?.['bytes'])
    const vacuum = async (options: string) => session.ask(`VACUUM ${options} ${name}`, undefined, VACUUM_MS)
    if (bytes > ANEW_BYTES_MAX) {
      await vacuum('')
      return `it has ${Math.round(bytes / 1_000_000)} MB`
    }
    await session.ask(`SET lock_timeout = ${LOCK_MS}`)
    try {
      await vacuum('FULL')
      return undefined
    } catch (thrown) {
      if (stateOf(thrown) !== '55P03') throw thrown
      await vacuum('')
      return 'it is in use'
    } finally {
      await session.ask('SET lock_timeout = 0').catch(() => {})
    }
  })
