import type { Event } from '../../event/event.ts'
import type { Store } from '../../store/store.ts'
import { readEvent, textIfThere } from '../read.ts'

/** Where events and their raw fields are looked up again. */
export interface LogSource {
  event(seq: number): Promise<Event | undefined>
  /** As text; undefined when there is none, or once it was pruned. */
  raw(event: Event, field: string): Promise<string | undefined>
}

/** Events that are kept: the outputs that calls come back to are mostly recent. */
const EVENTS_MAX = 64

export function sourceOf(store: Store, agentId: string): LogSource {
  const kept = new Map<number, Event>()
  return {
    async event(seq) {
      const event = kept.get(seq) ?? (await readEvent(store, agentId, seq))
      if (event) kept.set(seq, event)
      const [oldest] = kept.keys()
      if (kept.size > EVENTS_MAX && oldest !== undefined) kept.delete(oldest)
      return event
    },
    raw: (event, field) => textIfThere(store, event, field),
  }
}
