import type { DataOf } from '../event/event.ts'
import { type JudgedCall, judge } from '../trust/policy.ts'
import type { AgentRun } from './run.ts'

interface Judgement {
  /** What the model is told, if the call does not run. */
  readonly refused?: string
  /** Recorded with the result, where the policy had to decide. */
  readonly policy?: DataOf<'tool_result'>['policy']
}

/** Whether the agent's policy lets a call run; a person is asked where it says so, and silence is no. */
export async function judgement(run: AgentRun, call: JudgedCall, signal: AbortSignal): Promise<Judgement> {
  const { policy, approve, memory, workspace } = run
  if (!policy) return {}
  const verdict = await judge(policy, call, await workspace?.complete())
  if (verdict.kind === 'allowed') return {}
  if (verdict.kind === 'refused')
    return { policy: 'refused', refused: `Refused by this agent's policy: ${verdict.why}.` }
  if (!approve)
    return {
      policy: 'refused',
      refused: `Refused by this agent's policy: ${call.tool} needs a person's approval, and nobody is there to give it.`,
    }
  const shown = { ...call, args: memory.hideIn(call.args), agent_id: memory.agent_id }
  const yes = await approve(shown, signal)
  return yes
    ? { policy: 'approved' }
    : { policy: 'denied', refused: `A person did not approve this call of ${call.tool}.` }
}
