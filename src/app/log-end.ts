import type { EventType, StopReason } from '../core/event/event.ts'
import type { Store } from '../core/store/store.ts'
import { TwotrackError } from '../errors.ts'

/** Where a log's end is looked for; reviews of what an agent proposes come after it. */
const LOOK_BACK_EVENTS = 20
/** What becomes of a workspace or of raw output afterwards does not make an agent go on. */
const AFTERWARDS = new Set<EventType>(['workspace_accepted', 'workspace_rejected', 'tombstone'])

export interface LogEnd {
  readonly events: number
  readonly turn: number
  readonly last: string
  /** `open`: at work, or killed. */
  readonly state: 'open' | 'ended' | 'damaged'
  readonly reason?: StopReason
}

/** How a log ends. One damaged log does not keep the others from being listed; `verify` says more. */
export async function endOf(store: Store, agentId: string): Promise<LogEnd> {
  const none: LogEnd = { events: 0, turn: 0, last: '', state: 'open' }
  try {
    const head = await store.head(agentId)
    if (!head) return none
    let end: LogEnd = { ...none, events: head.seq }
    for await (const event of store.read(agentId, { from: Math.max(1, head.seq - LOOK_BACK_EVENTS) })) {
      const { turn, timestamp: last } = event
      const { events } = end
      if (AFTERWARDS.has(event.type)) end = { ...end, turn, last }
      else if (event.type !== 'run_end') end = { events, turn, last, state: 'open' }
      else end = { events, turn, last, state: 'ended', reason: event.data.reason }
    }
    return end
  } catch (thrown) {
    if (thrown instanceof TwotrackError && thrown.code === 'damaged') return { ...none, state: 'damaged' }
    throw thrown
  }
}

/** Why the work of an agent is not whole; undefined when its result was handed in, or nobody can tell. */
export async function unfinishedOf(store: Store, agentId: string): Promise<string | undefined> {
  const { state, reason } = await endOf(store, agentId)
  if (state === 'damaged' || reason === 'submitted') return undefined
  return reason === undefined ? 'killed, or still at work' : `ended with ${reason}`
}
