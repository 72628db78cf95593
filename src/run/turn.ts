import type { ModelAnswer } from '../model/model.ts'
import { ask } from './ask.ts'
import { execute } from './execute.ts'
import { propose } from './propose.ts'
import { pull } from './pull.ts'
import type { AgentRun } from './run.ts'
import type { Stop } from './stop.ts'
import { withoutCall } from './without-call.ts'

/**
 * One turn. Every step is an event before it has an effect:
 *
 *     turn_start
 *     ├─ hub_update        what the hub knows of the nodes in view, if it changed
 *     ├─ proposal          the candidate actions of the rules, if they changed
 *     ├─ model_request     the exact prompt
 *     ├─ model_response    text and calls
 *     ├─ tool_call         before the tool runs
 *     ├─ tool_result       raw output, and what the packet learned
 *     └─ proposal          what the rules say after that, if it changed
 */
export async function turn(run: AgentRun, signal: AbortSignal): Promise<Stop | undefined> {
  await run.memory.startTurn()
  return decide(run, signal)
}

/** The part after turn_start; a resumed run begins here when its last turn has no answer yet. */
export async function decide(run: AgentRun, signal: AbortSignal): Promise<Stop | undefined> {
  await pull(run, signal)
  await propose(run)
  const asked = await ask(run, signal)
  return 'reason' in asked ? asked : act(run, asked, signal)
}

/** Does what an answer says, one call after the other. */
async function act(
  run: AgentRun,
  answer: Pick<ModelAnswer, 'text' | 'calls'>,
  signal: AbortSignal,
): Promise<Stop | undefined> {
  if (answer.calls.length === 0) return withoutCall(run, answer.text, signal)
  for (const call of answer.calls) {
    const stop = await execute(run, call, signal)
    if (stop) return stop
  }
  // At once, so that what is seen of this turn does not still say what was true before its calls.
  await propose(run)
  return undefined
}
