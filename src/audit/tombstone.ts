import { randomUUID } from 'node:crypto'
import type { EventFor, Header } from '../event/event.ts'
import { type Sealed, seal } from '../event/line.ts'
import { sha256 } from '../sha256.ts'
import type { Head } from '../store/store.ts'

/** First and last `seq` of events one after the other. */
export type Stretch = [first: number, last: number]

/** Numbers in order, as stretches. */
export function stretches(seqs: readonly number[]): Stretch[] {
  const found: Stretch[] = []
  for (const seq of seqs) {
    const last = found.at(-1)
    if (last?.[1] === seq - 1) last[1] = seq
    else found.push([seq, seq])
  }
  return found
}

export const isWithin = (seq: number, all: readonly Stretch[]): boolean =>
  all.some(([first, last]) => first <= seq && seq <= last)

/** What a log says of what was taken out of it. It is sealed without a memory: it changes no packet. */
export function tombstone(head: Head, last: Header, data: EventFor<'tombstone'>['data']): Sealed {
  const { run_id, agent_id, operation, node_id, turn } = last
  return seal(
    { type: 'tombstone', data },
    {
      ...{ run_id, agent_id, operation, node_id, turn },
      id: randomUUID(),
      seq: head.seq + 1,
      timestamp: new Date().toISOString(),
      prev: head.hash,
    },
    sha256,
  )
}
