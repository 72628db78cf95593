import type { Event } from '../core/event/event.ts'
import type { AgentMemory } from '../core/memory/memory.ts'
import { hubUpdate } from './delta.ts'
import type { Hub } from './hub.ts'
import { nodesInView } from './in-view.ts'

/**
 * Asks a hub what is known of the agent's node and of those named in its focus and actions, and records what changed since
 * it last said something: the packet shows it. Undefined where nothing did.
 */
export async function recordPull(
  memory: AgentMemory,
  hub: Hub,
  signal?: AbortSignal,
): Promise<Event | undefined> {
  const known = memory.state
  const update = hubUpdate(known, await hub.pull(nodesInView(known), known.hub?.value.freshness, signal))
  return update && memory.record(update)
}
