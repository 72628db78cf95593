import assert from 'node:assert/strict'
import type { Event } from '../../core/event/event.ts'
import type { Store } from '../../core/store/store.ts'
import { sampleLog } from '../sample-log.ts'
import { agent, collect, persistent, type StoreCases, seqs, write } from './case.ts'

export const tailCases: StoreCases = {
  'tails a log: what is there, then what is appended, until the signal': ({ store }) =>
    tailOneByOne(store, store),
  'tails what another store appends': persistent(async ({ store, reopen }) => {
    const other = await reopen()
    await tailOneByOne(store, other)
    await other.close()
  }),
  'tails from a seq on, also one that is not there yet': async ({ store }) => {
    const events = sampleLog(agent, 5)
    const writer = await store.open(agent)
    await writer.append(events.slice(0, 2), 0)
    const stop = new AbortController()
    const tailed = seqs(take(store.tail(agent, { from: 4, signal: stop.signal }), 2))
    await writer.append(events.slice(2), 2)
    assert.deepEqual(await tailed, [4, 5])
    stop.abort()
    await writer.close()
  },
  'ends a tail at once when its signal was aborted before': async ({ store }) => {
    const writer = await store.open(agent)
    await writer.append(sampleLog(agent, 2), 0)
    await writer.close()
    assert.deepEqual(await collect(store.tail(agent, { from: 3, signal: AbortSignal.abort() })), [])
  },
  'tails the list: the logs that are there, then each that comes': async ({ store }) => {
    await write(store, 'a', 1)
    await write(store, 'elsewhere', 1, { run_id: 'run-2' })
    const stop = new AbortController()
    const seen: string[] = []
    for await (const { agent_id } of store.tailList({ filter: { run_id: 'run-1' }, signal: stop.signal })) {
      seen.push(agent_id)
      if (agent_id === 'a') await write(store, 'b', 2)
      else stop.abort()
    }
    assert.deepEqual(seen, ['a', 'b'])
  },
  'ends tails when it is closed': async ({ store }) => {
    const writer = await store.open(agent)
    await writer.append(sampleLog(agent, 1), 0)
    await writer.close()
    const seen: number[] = []
    let closed: Promise<void> | undefined
    for await (const { seq } of store.tail(agent, { signal: new AbortController().signal })) {
      seen.push(seq)
      closed = store.close()
    }
    await closed
    assert.deepEqual(seen, [1])
  },
}

async function tailOneByOne(reader: Store, appender: Store): Promise<void> {
  const events = sampleLog(agent, 6)
  const writer = await appender.open(agent)
  await writer.append(events.slice(0, 1), 0)
  const stop = new AbortController()
  const seen: number[] = []
  // Each event is appended only once the one before was seen, so none can come by the first read.
  for await (const event of reader.tail(agent, { signal: stop.signal })) {
    seen.push(event.seq)
    if (event.seq === events.length) stop.abort()
    else await writer.append(events.slice(event.seq, event.seq + 1), event.seq)
  }
  assert.deepEqual(seen, [1, 2, 3, 4, 5, 6])
  await writer.close()
}

async function* take(events: AsyncIterable<Event>, count: number): AsyncGenerator<Event> {
  let taken = 0
  for await (const event of events) {
    yield event
    if (++taken === count) return
  }
}
