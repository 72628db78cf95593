import { openHeader } from '../../core/event/line.ts'
import { assertHead, damagedLine, endedLease, START } from '../../core/store/chain.ts'
import { encodeId } from '../../core/store/encode-id.ts'
import type {
  Lease,
  Line,
  LogPage,
  NewestPage,
  Page,
  StoredLine,
  StoredLog,
} from '../../core/store/engine.ts'
import type { Head, LogFilter } from '../../core/store/store.ts'
import { messageOf, TwotrackError } from '../../errors.ts'
import { zstdDecompressSync } from '../../files/zstd.ts'
import { LINE_BYTES_MAX } from '../../limits.ts'
import { sha256 } from '../../sha256.ts'
import type { Connections } from './connections.ts'
import type { DatabaseSession, QueryRow } from './session.ts'

/** What one answer brings of a log: so many lines, fewer where they are long. */
const PAGE_LINES = 2_000
const PAGE_BYTES = 4 * 1024 * 1024

/**
 * One statement: the row of the log is moved on where it ends as expected and the lease is the newest, and then the lines
 * are there too. Who holds the lease holds it for longer by it. Without a lease nobody may hold one. Told is only who
 * follows the log: the row says whether somebody does.
 */
const APPEND = `
  WITH moved AS (
    UPDATE log SET seq = $4, hash = $5, until = clock_timestamp() + $7 * interval '1 ms'
    WHERE agent = $1 AND seq = $2 AND hash = $3 AND CASE WHEN $6::bigint IS NULL
      THEN holder IS NULL OR until < clock_timestamp() ELSE holder IS NOT NULL AND generation = $6 END
    RETURNING id, watched
  ), stored AS (
    INSERT INTO line (log, seq, bytes)
    SELECT id, $2 + n, bytes FROM moved, unnest($8::bytea[]) WITH ORDINALITY AS one (bytes, n)
  )`
const END = `
  SELECT id, CASE WHEN watched > clock_timestamp() THEN pg_notify($9, id::text) END FROM moved`
/** Of the first lines: what lists know of a log; who follows the list is told. */
const BEGIN = `, entered AS (
    INSERT INTO entry (log, run, operation, node, created, id, first)
    SELECT id, $10, $11, $12, $13::timestamptz, $14, $15 FROM moved
  )
  SELECT id, CASE WHEN moved.watched > clock_timestamp() THEN pg_notify($9, id::text) END,
    (SELECT pg_notify($9, '0') FROM lists WHERE lists.watched > clock_timestamp())
  FROM moved`

export async function append(
  connections: Connections,
  id: string,
  lines: readonly Line[],
  expected: Head,
  lease: Lease | undefined,
  leaseMs: number,
): Promise<void> {
  const [first] = lines
  const last = lines.at(-1)
  if (!first || !last) return
  const agent = encodeId(id)
  const isFirst = expected.seq === 0
  const values: unknown[] = [
    ...[agent, expected.seq, expected.hash, last.header.seq, last.hash, lease?.generation ?? null, leaseMs],
    ...[arrayOf(lines.map(({ bytes }) => bytes)), connections.schema],
  ]
  if (isFirst) {
    const { header, bytes } = first
    const { run_id, operation, node_id, timestamp } = header
    const entry = [
      encodeId(run_id),
      encodeId(operation),
      encodeId(node_id),
      timestamp,
      ordered(id),
      headerOf(bytes),
    ]
    values.push(...entry)
  }
  const moved = await connections.attempt(async (session, isAgain) => {
    // Nobody knows what became of an earlier attempt: it is done once its lines are there.
    if (isAgain && (await isStored(session, agent, last))) return true
    if (isFirst && !lease) await session.ask(MAKE_LOG, [agent, START.hash])
    return (await session.ask(APPEND + (isFirst ? BEGIN : END), values)).length > 0
  })
  if (moved) return
  const [log] = await connections.ask(LOG, [agent])
  assertHead(id, log && { seq: Number(log['seq']), hash: String(log['hash']) }, expected)
  throw endedLease(id)
}

const MAKE_LOG = 'INSERT INTO log (agent, hash) VALUES ($1, $2) ON CONFLICT DO NOTHING'
const LOG = 'SELECT id, seq, hash, generation, holder IS NOT NULL AS is_held FROM log WHERE agent = $1'

/**
 * Whether a line is there, and stays: a server that was started again may show what its standbys never got. So something
 * is written, and that is acknowledged once all before it is as durable.
 */
async function isStored(session: DatabaseSession, agent: string, { header, hash }: Line): Promise<boolean> {
  const sure = 'UPDATE log SET archived = archived WHERE agent = $1 AND seq >= $2 RETURNING id, seq, hash'
  const [log] = await session.ask(sure, [agent, header.seq])
  if (!log) return false
  if (Number(log['seq']) === header.seq) return log['hash'] === hash
  const [found] = await session.ask(
    "SELECT is_packed, encode(bytes, 'base64') AS base64 FROM line WHERE log = $1 AND seq = $2",
    [log['id'], header.seq],
  )
  const bytes = found && lineBytes(found)
  return bytes instanceof Uint8Array && openHeader(bytes, sha256).hash === hash
}

/** Where a page ends is looked up first: summing over whole lines would copy them. Base64 takes half the time of `bytea`. */
const PAGE = `
  SELECT log.seq AS head, line.seq, is_packed, encode(bytes, 'base64') AS base64 FROM log LEFT JOIN LATERAL (
    SELECT seq, is_packed, bytes FROM line WHERE log = log.id AND seq BETWEEN $2 AND (
      SELECT max(seq) FROM (
        SELECT seq, sum(size) OVER (ORDER BY seq) - size AS before FROM (
          SELECT seq, octet_length(bytes) AS size FROM line
          WHERE log = log.id AND seq BETWEEN $2 AND $3 ORDER BY seq LIMIT ${PAGE_LINES}
        ) AS sizes
      ) AS sums WHERE before < ${PAGE_BYTES}
    )
  ) AS line ON true
  WHERE agent = $1 AND log.seq > 0 ORDER BY line.seq`

/** A line and whether it is compressed. */
export type NumberedLine = StoredLine & { readonly seq: number; readonly isPacked: boolean }

/** The lines of a range, page by page. Throws `damaged` for one that is gone. */
export async function* numberedLines(
  asking: Pick<DatabaseSession, 'ask'>,
  id: string,
  { from, to }: { readonly from: number; readonly to: number },
): AsyncGenerator<NumberedLine> {
  const agent = encodeId(id)
  for (let next = Math.max(from, 1), end = to; next <= end; ) {
    const rows = await asking.ask(PAGE, [agent, next, Math.min(to, Number.MAX_SAFE_INTEGER)])
    end = Math.min(to, Number(rows[0]?.['head'] ?? 0))
    for (const row of rows) {
      const bytes = lineBytes(row)
      if (next > end) return
      if (row['seq'] !== next) throw damagedLine(id, next, {}, 'its row is missing')
      if (typeof bytes === 'string') throw damagedLine(id, next, {}, bytes)
      yield { bytes, seq: next, isPacked: row['is_packed'] === true, at: { row: `${agent} ${next}` } }
      next++
    }
  }
}

export async function headLine(connections: Connections, id: string): Promise<StoredLine | undefined> {
  const agent = encodeId(id)
  const [row] = await connections.ask(
    `SELECT log.seq, is_packed, encode(bytes, 'base64') AS base64 FROM log LEFT JOIN line ON line.log = log.id AND line.seq = log.seq
     WHERE agent = $1 AND log.seq > 0`,
    [agent],
  )
  if (!row) return undefined
  const bytes = lineBytes(row)
  // One that is gone or damaged: whoever reads the log says so.
  return {
    bytes: typeof bytes === 'string' ? new Uint8Array(0) : bytes,
    at: { row: `${agent} ${row['seq']}` },
  }
}

const FILTERS = { run_id: 'run', operation: 'operation', node_id: 'node' } as const

const conditionsOf = (filter: LogFilter, values: unknown[]): string =>
  (['run_id', 'node_id', 'operation'] as const)
    .flatMap((name) =>
      filter[name] === undefined ? [] : [` AND ${FILTERS[name]} = $${values.push(encodeId(filter[name]))}`],
    )
    .join('')

const storedLog = ({ agent, first }: QueryRow): StoredLog => ({
  first: first instanceof Uint8Array ? first : new Uint8Array(0),
  isOf: (id: string) => encodeId(id) === agent,
})

/** In the order in which they were made. */
export async function list(
  connections: Connections,
  filter: LogFilter,
  { after = '0', limit }: Page,
): Promise<LogPage> {
  const values: unknown[] = [after, limit]
  const rows = await connections.ask(
    `SELECT log, agent, first FROM entry JOIN log ON log.id = entry.log
     WHERE log > $1${conditionsOf(filter, values)} ORDER BY log LIMIT $2`,
    values,
  )
  const last = rows.at(-1)
  return {
    logs: rows.map(storedLog),
    ...(last && rows.length === limit ? { next: String(last['log']) } : {}),
  }
}

/** A range of the index by time, downwards. */
export async function newestEntries(
  connections: Connections,
  filter: LogFilter,
  { before, limit }: NewestPage,
): Promise<readonly StoredLog[]> {
  const values: unknown[] = [limit]
  const older = before
    ? ` AND (created, entry.id) < ($${values.push(before.created)}::timestamptz, $${values.push(ordered(before.agent_id))})`
    : ''
  const rows = await connections.ask(
    `SELECT agent, first FROM entry JOIN log ON log.id = entry.log
     WHERE true${older}${conditionsOf(filter, values)} ORDER BY created DESC, entry.id DESC LIMIT $1`,
    values,
  )
  return rows.map(storedLog)
}

/** An id as bytes that compare as JavaScript compares texts. */
const ordered = (id: string): Buffer => Buffer.from(id, 'utf16le').swap16()

/** A line as it was given, or what is wrong with its row. */
export function lineBytes({ base64, is_packed }: QueryRow): Uint8Array | string {
  if (typeof base64 !== 'string') return 'its row is missing'
  const bytes = Buffer.from(base64, 'base64')
  try {
    return is_packed === true ? zstdDecompressSync(bytes, { maxOutputLength: LINE_BYTES_MAX }) : bytes
  } catch (cause) {
    return `its row can't be decompressed (${messageOf(cause)})`
  }
}

/** What a list needs of a first line: its header, which no redaction changes. */
function headerOf(line: Uint8Array): Uint8Array {
  try {
    return line.subarray(0, openHeader(line, sha256).to)
  } catch (cause) {
    throw new TwotrackError('bad_event', `A log can't begin with this line: ${messageOf(cause)}.`, { cause })
  }
}

/** The type of bytes, in PostgreSQL's own form. */
const BYTEA = 17
const ARRAY_HEADER_BYTES = 20

/** Bytes as a parameter of type `bytea[]`: as text they would take twice the space. */
export function arrayOf(items: readonly Uint8Array[]): Buffer {
  const header = Buffer.alloc(ARRAY_HEADER_BYTES)
  const fields = [items.length === 0 ? 0 : 1, 0, BYTEA, items.length, 1]
  for (const [at, field] of fields.entries()) header.writeInt32BE(field, at * 4)
  const parts = items.flatMap((item) => {
    const size = Buffer.alloc(4)
    size.writeInt32BE(item.length)
    return [size, item]
  })
  return Buffer.concat([items.length === 0 ? header.subarray(0, 12) : header, ...parts])
}
