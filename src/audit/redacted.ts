import { randomUUID } from 'node:crypto'
import type { EventFor, Header } from '../core/event/event.ts'
import { type Sealed, seal } from '../core/event/line.ts'
import { newNonces } from '../core/memory/nonces.ts'
import type { Head, LogWriter, Store } from '../core/store/store.ts'
import { sha256 } from '../sha256.ts'

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

export const isInStretch = (seq: number, all: readonly Stretch[]): boolean =>
  all.some(([first, last]) => first <= seq && seq <= last)

/** How a log is written anew: each of its lines, and afterwards what was taken out of it, if anything. */
interface Rewriting {
  readonly line: Parameters<LogWriter['rewrite']>[0]
  readonly taken: () => EventFor<'redacted'>['data'] | undefined
}

/**
 * Writes a log anew in one step, together with the event that says what was taken out. Throws `locked` for one that
 * is being written; false where `plan`, which is given the log's head, gives none.
 */
export async function rewriteLog(
  store: Store,
  agentId: string,
  plan: (head: Head) => Rewriting | undefined,
): Promise<boolean> {
  const writer = await store.open(agentId)
  try {
    const rewriting = plan(writer.head)
    await (rewriting &&
      writer.rewrite(rewriting.line, (head, last) => {
        const data = rewriting.taken()
        return data ? [redacted(head, last, data)] : []
      }))
    return rewriting !== undefined
  } finally {
    await writer.close()
  }
}

/** What a log says of what was taken out of it. It is sealed without a memory: it changes no packet. */
function redacted(head: Head, last: Header, data: EventFor<'redacted'>['data']): Sealed {
  const { run_id, agent_id, operation, node_id, turn } = last
  return seal(
    { type: 'redacted', data },
    {
      ...{ run_id, agent_id, operation, node_id, turn },
      id: randomUUID(),
      seq: head.seq + 1,
      timestamp: new Date().toISOString(),
      prev: head.hash,
      nonces: newNonces(),
    },
    sha256,
  )
}
