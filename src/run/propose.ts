import { candidatesOf } from '../agent/rules.ts'
import { canonical } from '../event/json.ts'
import type { AgentRun } from './run.ts'

/** Records the candidate actions that the agent's rules give for this packet, if they are others than before. */
export async function propose({ agent, memory }: AgentRun): Promise<void> {
  const candidates = candidatesOf(agent.definition.candidates, memory.packet)
  if (canonical(candidates) === canonical([...memory.candidates])) return
  await memory.correct('rules', 'candidate actions', { set_candidates: candidates })
}
