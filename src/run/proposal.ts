import type { Store } from '../core/store/store.ts'
import { TwotrackError } from '../errors.ts'
import { foldProposal, type Pending } from '../workspace/proposal.ts'
import { type AgentSummary, agentSummary } from './agent-summary.ts'

/** What stands proposed in a log, and what became of its agent. Damage is thrown: nothing is taken from such a log. */
export async function readProposal(
  store: Store,
  agentId: string,
): Promise<{ readonly pending: Pending; readonly agent: AgentSummary }> {
  let pending: Pending = new Map()
  let agent: AgentSummary | undefined
  for await (const event of store.read(agentId, { raw: false })) {
    pending = foldProposal(pending, event)
    agent = agentSummary(agent, event)
  }
  if (!agent) throw new TwotrackError('missing', `There is no log of agent "${agentId}".`)
  return { pending, agent }
}
