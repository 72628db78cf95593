import { messageOf } from '../errors.ts'
import type { AgentRun } from './run.ts'
import { wordsFor } from './run-log.ts'

/**
 * Records what people said since the last turn. The event names the word, so that each is taken in once, whoever is killed
 * when. A log of the run that can't be read is an event, and the agent goes on.
 */
export async function takeIn({ memory, store, state }: AgentRun): Promise<void> {
  const { agent, heard } = state()
  if (!agent) return
  try {
    const words = wordsFor(store, { runId: agent.run_id, agentId: memory.agent_id, heard })
    for await (const { seq, data } of words)
      await memory.record({ type: 'person_message', data: { text: data.text, said: seq } })
  } catch (thrown) {
    await memory.record({ type: 'agent_error', data: { where: 'inbox', message: messageOf(thrown) } })
  }
}
