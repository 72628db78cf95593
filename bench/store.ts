/**
 * What appending and reading cost in the jsonl store, as ratios to raw file writes of the same bytes with the
 * same syncs in the same run:
 *
 *     npx node bench/store.ts [--appends 1000] [--events 100000] [--read-mb 64] [--json]
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Sealed } from '../src/core/event/line.ts'
import type { Durability, LogWriter } from '../src/core/store/store.ts'
import { jsonlStore } from '../src/store/jsonl/jsonl.ts'
import { headOf, sampleLog } from '../src/testing/sample-log.ts'

const { values } = parseArgs({
  options: {
    appends: { type: 'string', default: '1000' },
    events: { type: 'string', default: '100000' },
    'read-mb': { type: 'string', default: '64' },
    json: { type: 'boolean', default: false },
    /** Reads the log of a folder and reports its own memory; the bench starts itself so. */
    reader: { type: 'string' },
  },
})
const agent = 'bench'
const NOTE = 'x'.repeat(700)
const BATCH = 1000
const MB = 1024 * 1024

interface Row {
  readonly what: string
  readonly value: number
  readonly unit: string
}

const microseconds = async (work: () => Promise<void>): Promise<number> => {
  const start = process.hrtime.bigint()
  await work()
  return Number(process.hrtime.bigint() - start) / 1000
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

async function appendOneByOne(writer: LogWriter, events: readonly Sealed[]): Promise<number> {
  const costs: number[] = []
  for (const event of events) {
    costs.push(await microseconds(() => writer.append([event], event.event.seq - 1)))
  }
  return median(costs)
}

async function writeRaw(file: FileHandle, events: readonly Sealed[], sync: boolean): Promise<number> {
  const costs: number[] = []
  for (const { line } of events) {
    const cost = await microseconds(async () => {
      await file.write(`${line}\n`)
      if (sync) await file.datasync()
    })
    costs.push(cost)
  }
  return median(costs)
}

/** Interleaved in slices, so that whatever else the machine does hits both alike. */
async function compareToRaw(
  folder: string,
  durability: Durability,
  count: number,
): Promise<{ store: number; raw: number }> {
  const sync = durability === 'always'
  const writer = await jsonlStore({ folder, durability }).open(agent)
  const file = await open(join(folder, 'raw'), 'w')
  const events = sampleLog(agent, count, { note: NOTE })
  const costs = { store: [] as number[], raw: [] as number[] }
  for (let at = 0; at < count; at += 50) {
    const slice = events.slice(at, at + 50)
    costs.raw.push(await writeRaw(file, slice, sync))
    costs.store.push(await appendOneByOne(writer, slice))
  }
  await writer.close()
  await file.close()
  return { store: median(costs.store), raw: median(costs.raw) }
}

async function groupCommit(folder: string, count: number): Promise<number> {
  const writer = await jsonlStore({ folder }).open(agent)
  const events = sampleLog(agent, count, { note: NOTE })
  const total = await microseconds(async () => {
    await Promise.all(events.map((event) => writer.append([event], event.event.seq - 1)))
  })
  await writer.close()
  return total / count
}

/** The cost of one append to a short log and to a long one, in turns. */
async function earlyAndLate(folder: string, late: number): Promise<{ early: number; late: number }> {
  const store = jsonlStore({ folder, durability: { interval_ms: 1000 } })
  const [short, long] = [await store.open('short'), await store.open('long')]
  await grow(short, 'short', 100)
  await grow(long, 'long', late)
  const costs = { early: [] as number[], late: [] as number[] }
  for (let slice = 0; slice < 20; slice++) {
    const next = (name: string, writer: LogWriter) =>
      appendOneByOne(writer, sampleLog(name, 25, { after: writer.head, note: NOTE }))
    costs.early.push(await next('short', short))
    costs.late.push(await next('long', long))
  }
  await store.close()
  return { early: median(costs.early), late: median(costs.late) }
}

async function grow(writer: LogWriter, name: string, to: number): Promise<void> {
  while (writer.head.seq < to) {
    const count = Math.min(BATCH, to - writer.head.seq)
    const events = sampleLog(name, count, { after: writer.head, note: NOTE })
    await writer.append(events, writer.head.seq)
  }
}

async function makeLog(folder: string, megabytes: number): Promise<void> {
  const writer = await jsonlStore({ folder, durability: { interval_ms: 60_000 } }).open(agent)
  for (let bytes = 0; bytes < megabytes * MB; ) {
    const events = sampleLog(agent, BATCH, { after: writer.head, note: 'y'.repeat(4000) })
    await writer.append(events, headOf(events).seq - BATCH)
    for (const { line } of events) bytes += line.length + 1
  }
  await writer.close()
}

async function readInChild(folder: string): Promise<{ events: number; peak_mb: number; seconds: number }> {
  const child = fork(import.meta.filename, ['--reader', folder])
  const [message] = await once(child, 'message')
  return message
}

async function reader(folder: string): Promise<void> {
  let events = 0
  const cost = await microseconds(async () => {
    for await (const _ of jsonlStore({ folder }).read(agent)) events++
  })
  // The peak of the whole process, Node itself included, as the system counts it (in KiB).
  const peak_mb = process.resourceUsage().maxRSS / 1024
  process.send?.({ events, peak_mb, seconds: cost / 1e6 })
}

async function bench(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'twotrack-bench-'))
  const appends = Number(values.appends)
  const megabytes = Number(values['read-mb'])
  try {
    const always = await compareToRaw(join(folder, 'always'), 'always', appends)
    const interval = await compareToRaw(join(folder, 'interval'), { interval_ms: 50 }, appends)
    const grouped = await groupCommit(join(folder, 'grouped'), appends)
    const length = await earlyAndLate(join(folder, 'length'), Number(values.events))
    await makeLog(join(folder, 'read'), megabytes)
    const read = await readInChild(join(folder, 'read'))
    return [
      { what: 'append, always', value: always.store, unit: 'µs' },
      { what: 'raw write + fdatasync', value: always.raw, unit: 'µs' },
      { what: 'append, always / raw', value: always.store / always.raw, unit: '×' },
      { what: 'append, many at once', value: grouped, unit: 'µs an event' },
      { what: 'append, many at once / raw', value: grouped / always.raw, unit: '×' },
      { what: 'append, interval', value: interval.store, unit: 'µs' },
      { what: 'raw write', value: interval.raw, unit: 'µs' },
      { what: 'append, interval / raw', value: interval.store / interval.raw, unit: '×' },
      { what: `append of event ${values.events} / event 100`, value: length.late / length.early, unit: '×' },
      { what: `reading ${megabytes} MB, peak memory`, value: read.peak_mb, unit: 'MB' },
      { what: `reading ${megabytes} MB, speed`, value: megabytes / read.seconds, unit: 'MB/s' },
      { what: `reading ${megabytes} MB, events`, value: read.events / read.seconds, unit: 'events/s' },
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

if (values.reader !== undefined) await reader(values.reader)
else {
  const rows = await bench()
  if (values.json) console.log(JSON.stringify(rows))
  else
    for (const { what, value, unit } of rows)
      console.log(`${what.padEnd(40)} ${value.toFixed(2).padStart(12)} ${unit}`)
}
