import { TwotrackError } from '../errors.ts'
import { jobOf, startOf } from './begun.ts'
import { rejectAll } from './decide.ts'
import type { AgentChoice } from './environment.ts'
import type { Job } from './job.ts'
import { agentsMeant, type WhichOptions } from './names.ts'
import { proposalsOf } from './proposals.ts'
import type { RunStart } from './run-jobs.ts'

/** Throws away what agents propose, and gives the jobs with which new ones try the same operation on the same nodes. */
export async function jobsToRetry(
  agents: readonly string[],
  start: RunStart,
  options: AgentChoice & WhichOptions,
): Promise<Job[]> {
  const { store, environment, suffix, front } = start
  const byId = new Map<string, Job>()
  const old = []
  const meant = await agentsMeant(store, agents, options)
  for (const { agent_id, proposed, problem } of await proposalsOf(meant, environment)) {
    if (problem !== undefined || (!proposed && agents.length === 0)) continue
    const job = await jobOf(await startOf(store, agent_id), start, options)
    const next = `${agent_id.replace(/-[0-9a-f]{14}$/, '')}-${suffix}`
    byId.set(next, { ...job, agent_id: next }) // two agents of one node are tried again once
    if (proposed) old.push(proposed)
  }
  if (byId.size === 0)
    throw new TwotrackError('missing', 'No agent proposes changes, so there is nothing to try again.')
  // Nothing is thrown away before it is certain that all can be tried again.
  const { problems } = await rejectAll(old, 'retried')
  for (const { agent_id, problem } of problems) front.note(`${agent_id}: ${problem}`)
  return [...byId.values()]
}
