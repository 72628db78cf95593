import { jobOf, startOf } from '../../app/begun.ts'
import type { RunOptions } from '../../app/environment.ts'
import type { Job } from '../../app/job.ts'
import { agentsMeant, type WhichOptions } from '../../app/names.ts'
import { proposalsOf } from '../../app/proposals.ts'
import { TwotrackError } from '../../errors.ts'
import { rejectProposal } from '../../run/accept.ts'
import { type CommandWords, LAST_RUN, OF_ALL, OF_RUN, RUN } from '../command.ts'
import type { Found } from '../output.ts'
import { performRun } from '../perform-run.ts'
import { orReported } from '../proposals.ts'

interface RetryOptions extends RunOptions, WhichOptions {}

/** Throws what agents propose away and lets new ones try the same operation on the same nodes. */
async function retryCommand(agents: readonly string[], options: RetryOptions): Promise<Found> {
  return performRun(options, async (start) => {
    const { store, environment, suffix } = start
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
    for (const one of old) await orReported(one.agent_id, rejectProposal(one.log, { reason: 'retried' }))
    return [...byId.values()]
  })
}

export default {
  takes: '[agents...]',
  examples: ['retry lint#3', 'retry --all --model openai:gpt-oss-20b'],
  options: [LAST_RUN, OF_RUN, OF_ALL, ...RUN],
  call: retryCommand,
} satisfies CommandWords
