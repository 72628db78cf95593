import type { Event } from '../../src/event/event.ts'
import { Memory } from '../../src/memory/memory.ts'
import type { MemoryOptions } from '../../src/memory/options.ts'
import { memoryStore } from '../../src/store/memory.ts'
import type { Store } from '../../src/store/store.ts'
import { clock } from './clock.ts'

export const begin = (options: Partial<MemoryOptions> = {}) =>
  Memory.open({ store: memoryStore(), agent_id: 'a', goal: 'g', ...clock(), ...options })

export async function call(memory: Memory, returned: unknown, tool = 'shell'): Promise<Event> {
  return memory.recordResult(await memory.recordCall({ tool, args: {} }), returned)
}

export async function eventsOf(store: Store, agent = 'a'): Promise<Event[]> {
  const events: Event[] = []
  for await (const event of store.read(agent)) events.push(event)
  return events
}
