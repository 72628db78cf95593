import { setTimeout as sleep } from 'node:timers/promises'
import type { Head, Store } from '../../src/core/store/store.ts'
import { messageOf } from '../../src/errors.ts'
import { sampleLog } from '../../src/testing/sample-log.ts'

const PAUSE_MS = 100
const NOTE = 'x'.repeat(700)

/** What an agent was told is stored: the hash of each event, in order. */
interface Writer {
  readonly id: string
  readonly acknowledged: string[]
  /** When an append was acknowledged last, in milliseconds. */
  last: number
  /** The longest time between two of them since `measure`. */
  gap: number
}

/** Agents that append event after event, and go on where their log ends when an append fails. */
export function startWriters(store: Store, count: number) {
  const stop = new AbortController()
  const writers: Writer[] = Array.from({ length: count }, (_, n) => ({
    ...{ id: `agent-${n}`, acknowledged: [], last: Date.now(), gap: 0 },
  }))
  const errors = new Map<string, number>()
  const ended = writers.map(async (own) => {
    while (!stop.signal.aborted)
      try {
        await append(store, own, stop.signal)
      } catch (thrown) {
        const said = messageOf(thrown).slice(0, 100)
        errors.set(said, (errors.get(said) ?? 0) + 1)
        await sleep(PAUSE_MS)
      }
  })
  return {
    writers,
    errors,
    /** From now on the longest gaps are those of what comes. */
    measure() {
      for (const own of writers) own.gap = 0
    },
    longestGap: () => Math.max(...writers.map(({ gap, last }) => Math.max(gap, Date.now() - last))),
    /** Until each of them has had an append acknowledged that began after this. */
    async written() {
      const before = writers.map(({ acknowledged }) => acknowledged.length)
      while (writers.some(({ acknowledged }, n) => acknowledged.length < (before[n] ?? 0) + 2))
        await sleep(20)
    },
    async stop() {
      stop.abort()
      await Promise.all(ended)
    },
  }
}

async function append(store: Store, own: Writer, stop: AbortSignal): Promise<void> {
  const writer = await store.open(own.id)
  try {
    // What was under way when an append failed may be stored all the same: then it is not to be stored again.
    let head: Head = writer.head
    let item = await nextItem(store, own.id, head)
    while (!stop.aborted) {
      const events = sampleLog(own.id, 1, { after: head, note: `${item} ${NOTE}` })
      await writer.append(events, head.seq)
      head = writer.head
      own.acknowledged[head.seq - 1] = head.hash
      item++
      const now = Date.now()
      own.gap = Math.max(own.gap, now - own.last)
      own.last = now
      await sleep(PAUSE_MS * (0.5 + Math.random()))
    }
  } finally {
    await writer.close()
  }
}

const itemOf = (data: unknown): number =>
  Number(/^\d+/.exec((data as { readonly note?: string }).note ?? '')?.[0] ?? Number.NaN)

async function nextItem(store: Store, id: string, { seq }: Head): Promise<number> {
  if (seq === 0) return 1
  for await (const { data } of store.read(id, { from: seq })) return itemOf(data) + 1
  return 1
}

/** What was acknowledged and is not there, what is there twice, and what reading finds damaged. */
export async function compare(store: Store, { writers }: ReturnType<typeof startWriters>) {
  const found = { acknowledged: 0, lost: 0, twice: 0, damaged: (await store.check()).length }
  for (const { id, acknowledged } of writers) {
    const expected = [...acknowledged]
    const stored: string[] = []
    const items = new Set<number>()
    try {
      for await (const { hash, data } of store.read(id)) {
        stored.push(hash)
        const item = itemOf(data)
        if (items.has(item)) found.twice++
        items.add(item)
      }
    } catch (thrown) {
      console.log(messageOf(thrown))
      found.damaged++
    }
    // A place without a hash was never acknowledged: its answer was lost, and the agent found it stored.
    for (const [at, hash] of expected.entries()) {
      if (hash === undefined) continue
      found.acknowledged++
      if (stored[at] !== hash) found.lost++
    }
  }
  return found
}
