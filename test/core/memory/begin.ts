import type { Event } from '../../../src/core/event/event.ts'
import type { Store } from '../../../src/core/store/store.ts'
import type { MemoryOptions } from '../../../src/memory.ts'
import { Memory } from '../../../src/memory.ts'
import { memoryStore } from '../../../src/store/memory.ts'
import { clock } from './clock.ts'

export const begin = (options: Partial<MemoryOptions> = {}) =>
  Memory.open({ store: memoryStore(), agentId: 'a', goal: 'g', ...clock(), ...options })

export async function call(memory: Memory, returned: unknown, tool = 'shell'): Promise<Event> {
  return memory.recordResult({ call: await memory.recordCall({ tool, args: {} }), returned })
}

export async function eventsOf(store: Store, agent = 'a'): Promise<Event[]> {
  const events: Event[] = []
  for await (const event of store.read(agent)) events.push(event)
  return events
}
