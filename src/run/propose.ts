import { ruleView } from '../agent/rule-view.ts'
import { canonical } from '../event/json.ts'
import type { AgentRun } from './run.ts'

/** Records the candidate actions that the agent's rules give for the state of now, if they are others than before. */
export async function propose({ candidates, memory, state }: AgentRun): Promise<void> {
  const proposed = [...candidates(ruleView(memory.state, state().calls))]
  if (canonical(proposed) === canonical([...memory.candidates])) return
  await memory.propose('rules', 'candidate actions', { set_candidates: proposed })
}
