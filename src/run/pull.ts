import { messageOf } from '../errors.ts'
import { hubUpdate } from '../hub/delta.ts'
import { nodesInView } from '../hub/in-view.ts'
import type { AgentRun } from './run.ts'

/**
 * Asks the hub what is known of the agent's node and the nodes in view. Only what changed becomes an event; a
 * hub that fails is an event too, and the run goes on without it.
 */
export async function pull({ hub, memory }: AgentRun, signal: AbortSignal): Promise<void> {
  if (!hub) return
  const known = memory.state
  try {
    const answer = await hub.pull(nodesInView(known), memory.hubFreshness, signal)
    const update = hubUpdate(known, answer)
    if (update) await memory.record(update)
  } catch (thrown) {
    if (signal.aborted) return
    await memory.record({
      type: 'agent_error',
      data: { where: 'hub', message: messageOf(thrown), retry: true },
    })
  }
}
