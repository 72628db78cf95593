/**
 * The store in PostgreSQL beside the one in files, in one run on one disk, as ratios. PostgreSQL is one that this starts, or
 * that `TWOTRACK_PG` names:
 *
 *     npx node bench/postgres.ts [--agents 10000] [--million] [--json]
 *
 * `--million`: lists one run of a hundred agents among a million, whose rows are made by the server.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { getBlob, type Store } from '../src/core/store/store.ts'
import { jsonlStore } from '../src/store/jsonl/jsonl.ts'
import { connect } from '../src/store/postgres/connections.ts'
import { schemaOf } from '../src/store/postgres/migrations.ts'
import { postgresStore } from '../src/store/postgres/postgres.ts'
import { sampleLog } from '../src/testing/sample-log.ts'
import { postgresServer } from '../test/postgres-server.ts'

const { values } = parseArgs({
  options: {
    agents: { type: 'string', default: '10000' },
    million: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})
const NOTE = 'x'.repeat(700)
const APPENDS = 300
const AT_ONCE = 32
const EVENTS_EACH = 40
const REPLAYED = 1_500
const TAILED = 60
const BLOB_BYTES = 5_000_000

const milliseconds = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now()
  await work()
  return performance.now() - start
}
const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

async function appends(store: Store, agent: string, count: number): Promise<number> {
  const writer = await store.open(agent)
  const costs: number[] = []
  for (const event of sampleLog(agent, count, { note: NOTE }))
    costs.push(await milliseconds(() => writer.append([event], event.event.seq - 1)))
  await writer.close()
  return median(costs)
}

/** One append here, one there: what the disk does else meets both. */
async function alternately(stores: readonly [Store, Store]): Promise<readonly [number, number]> {
  const writers = [await stores[0].open('alternate'), await stores[1].open('alternate')] as const
  const costs: [number[], number[]] = [[], []]
  for (const event of sampleLog('alternate', APPENDS, { note: NOTE }))
    for (const [at, writer] of writers.entries())
      costs[at]?.push(await milliseconds(() => writer.append([event], event.event.seq - 1)))
  for (const writer of writers) await writer.close()
  return [median(costs[0]), median(costs[1])]
}

async function drain(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}

async function writeAll(store: Store, agent: string, count: number, run_id = 'run-1'): Promise<void> {
  const writer = await store.open(agent)
  await writer.append(sampleLog(agent, count, { note: NOTE, run_id }), 0)
  await writer.close()
}

/** From the append to the event in the hands of another process's store. */
async function tailed(store: Store, other: Store): Promise<number> {
  const events = sampleLog('tailed', TAILED + 1, { note: NOTE })
  const writer = await store.open('tailed')
  await writer.append(events.slice(0, 1), 0)
  const stop = new AbortController()
  const costs: number[] = []
  let sent = 0
  for await (const { seq } of other.tail('tailed', { signal: stop.signal })) {
    if (seq > 1) costs.push(performance.now() - sent)
    if (seq > TAILED) stop.abort()
    else {
      // It waits again before there is something new.
      await new Promise((resolve) => setTimeout(resolve, 20))
      const appended = writer.append(events.slice(seq, seq + 1), seq)
      await appended
      sent = performance.now()
    }
  }
  await writer.close()
  return median(costs)
}

/** Alternately, so that what else the machine does meets both. */
async function compare(
  what: string,
  limit: number,
  work: (store: Store, round: number) => Promise<number>,
  stores: readonly [Store, Store],
  rounds = 3,
) {
  const costs: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++)
    for (const [at, store] of stores.entries()) costs[at]?.push(await work(store, round))
  const [files, postgres] = costs.map(median)
  return { what, files, postgres, ratio: Number(postgres) / Number(files), limit }
}

const server = await postgresServer()
if (typeof server === 'string') throw new Error(`The bench ${server}`)
const folder = await mkdtemp(join(tmpdir(), 'twotrack-bench-'))
const place = { url: server.url, project: `bench-${randomUUID()}` }
const openBoth = (): readonly [Store, Store] => [jsonlStore({ folder }), postgresStore(place)]
const both = openBoth()
const others = openBoth()
const of = (store: Store) => (store.kind === 'jsonl' ? 0 : 1)
const rows: {
  what: string
  files?: number | undefined
  postgres: number | undefined
  ratio?: number
  limit: number
}[] = []
try {
  for (const [at, store] of both.entries()) await appends(store, `warm-${at}`, 50)
  const [files, postgres] = await alternately(both)
  rows.push({ what: 'append, median ms', files, postgres, ratio: postgres / files, limit: 5 })
  const crowd = async (store: Store, round: number) =>
    milliseconds(() =>
      Promise.all(
        Array.from({ length: AT_ONCE }, (_, n) => appends(store, `crowd-${round}-${n}`, EVENTS_EACH)),
      ),
    )
  rows.push(
    await compare(`${AT_ONCE} agents at once, ms for ${AT_ONCE * EVENTS_EACH} events`, 1 / 0.3, crowd, both),
  )
  for (const store of both) await writeAll(store, 'replayed', REPLAYED)
  rows.push(
    await compare(
      `replay of ${REPLAYED} events, ms`,
      2.5,
      (store) => milliseconds(() => drain(store.read('replayed'))),
      both,
      7,
    ),
  )
  const one = (store: Store) => milliseconds(() => drain(store.read('replayed', { from: 900, to: 900 })))
  rows.push(await compare(`one event of ${REPLAYED}, ms`, 5, one, both, 21))
  const tails = await compare(
    'tail, median ms',
    Number.NaN,
    (store) => tailed(store, others[of(store)] ?? store),
    both,
    1,
  )
  rows.push({ ...tails, limit: 10, ratio: Number(tails.postgres) })
  const blob = async (store: Store) => {
    const content = Buffer.concat([
      randomBytes(BLOB_BYTES / 2),
      Buffer.alloc(BLOB_BYTES / 2, 'a line of text '),
    ])
    let digest = ''
    const put = await milliseconds(async () => {
      digest = (await store.putBlob(content, 'bytes')).sha256
    })
    return put + (await milliseconds(() => getBlob(store, digest)))
  }
  rows.push(await compare('blob of 5 MB stored and read, ms', 3, blob, both, 7))
  const agents = Number(values.agents)
  for (const store of both)
    for (let n = 0; n < agents; n += AT_ONCE)
      await Promise.all(
        Array.from({ length: Math.min(AT_ONCE, agents - n) }, (_, i) =>
          writeAll(store, `listed-${n + i}`, 1),
        ),
      )
  rows.push(
    await compare(`list of ${agents} agents, ms`, 1, (store) => milliseconds(() => store.list()), both),
  )
  if (values.million) {
    await makeMany()
    const store = both[1]
    const run = () => store.list({ run_id: 'the run' })
    rows.push({
      what: 'a run of 100 among 1,000,000 agents, ms',
      postgres: await finding(100, run),
      limit: 50,
    })
    const page = () => store.newest({}, { limit: 50 })
    rows.push({ what: 'the newest 50 of them, ms', postgres: await finding(50, page), limit: 50 })
  }
} finally {
  for (const store of [...both, ...others]) await store.close()
  await server.dispose()
  await rm(folder, { recursive: true, force: true })
}

/** The rows of a million logs are made by the server; a hundred agents of one run are written as agents write. */
async function makeMany(): Promise<void> {
  const [, store] = both
  const beside = connect({
    url: place.url,
    schema: schemaOf(place.project),
    connections: 1,
    deadlineMs: 600_000,
  })
  await beside.attempt(async (session) => {
    await session.ask(
      `WITH made AS (
         INSERT INTO log (agent, seq, hash) SELECT 'many-' || n, 1, $1 FROM generate_series(1, 1000000) AS n RETURNING id
       ), entered AS (
         INSERT INTO entry (log, run, operation, node, created, id, first)
         SELECT made.id, 'run-of-many-' || made.id % 10000, operation, node, created - made.id * interval '1 s', entry.id, first
         FROM made, (SELECT * FROM entry LIMIT 1) AS entry
       )
       INSERT INTO line (log, seq, bytes) SELECT id, 1, decode(repeat('20', 400), 'hex') FROM made`,
      ['0'.repeat(64)],
      600_000,
    )
    await session.ask('ANALYZE', undefined, 600_000)
  })
  await beside.close()
  for (let n = 0; n < 100; n++) await writeAll(store, `of-the-run-${n}`, 1, 'the run')
}

async function finding(count: number, find: () => Promise<readonly unknown[]>): Promise<number> {
  const costs: number[] = []
  for (let n = 0; n < 11; n++)
    costs.push(
      await milliseconds(async () => {
        const found = await find()
        if (found.length !== count) throw new Error(`${found.length} agents were found, and not ${count}.`)
      }),
    )
  return median(costs)
}

if (values.json) console.log(JSON.stringify(rows, undefined, 2))
else
  for (const { what, files, postgres, ratio, limit } of rows)
    console.log(
      `${what.padEnd(48)} files ${String(files?.toFixed(2) ?? '–').padStart(9)}  postgres ${Number(postgres).toFixed(2).padStart(9)}  ` +
        `${ratio === undefined ? `≤ ${limit}` : `${ratio.toFixed(2)} (≤ ${limit.toFixed(2)})`}`,
    )
