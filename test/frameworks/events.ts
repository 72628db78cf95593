import type { Event } from '../../src/core/event/event.ts'
import type { Store } from '../../src/core/store/store.ts'

export async function eventsOf(store: Store, agentId: string): Promise<Event[]> {
  const events: Event[] = []
  for await (const event of store.read(agentId)) events.push(event)
  return events
}
