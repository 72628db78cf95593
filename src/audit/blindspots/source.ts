import { TwotrackError } from '../../errors.ts'
import type { Event } from '../../event/event.ts'
import { canonical } from '../../event/json.ts'
import { fieldOf } from '../../memory/blobs.ts'
import type { Store } from '../../store/store.ts'

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
      const known = kept.get(seq)
      if (known) return known
      for await (const event of store.read(agentId, { from: seq, to: seq })) {
        kept.set(seq, event)
        const [oldest] = kept.keys()
        if (kept.size > EVENTS_MAX && oldest !== undefined) kept.delete(oldest)
        return event
      }
      return undefined
    },
    async raw(event, field) {
      try {
        const value = await fieldOf(store, event, field)
        if (value === undefined) return undefined
        if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8')
        return typeof value === 'string' ? value : canonical(value)
      } catch (thrown) {
        // A blob may have been pruned on purpose.
        if (thrown instanceof TwotrackError && thrown.code === 'missing') return undefined
        throw thrown
      }
    },
  }
}
