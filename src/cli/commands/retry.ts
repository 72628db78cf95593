import { TwotrackError } from '../../errors.ts'
import { configFor, storeFor } from '../context.ts'
import type { Job } from '../job.ts'
import { modelAssignments } from '../model.ts'
import { agentsMeant, type WhichOptions } from '../names.ts'
import { orReported, proposalsOf, reject } from '../proposals.ts'
import { trustFor } from '../trust.ts'
import { jobOf, startOf } from './resume.ts'
import { environmentFor, exitCode, type RunOptions, report, runJobs, runSuffix } from './run.ts'

export interface RetryOptions extends RunOptions, WhichOptions {}

/** Throws what agents propose away and lets new ones try the same operation on the same nodes. */
export async function retryCommand(agents: readonly string[], options: RetryOptions): Promise<number> {
  const loaded = configFor({ ...options, set: [...(options.set ?? []), ...modelAssignments(options)] })
  const trust = await trustFor(loaded, options)
  const store = storeFor(loaded)
  try {
    const suffix = runSuffix()
    const environment = await environmentFor(loaded, store, `run-${suffix}`, options, trust)
    const byId = new Map<string, Job>()
    const old = []
    const meant = await agentsMeant(store, agents, options)
    for (const { agent_id, proposed } of await proposalsOf(meant, store, environment)) {
      if (proposed === undefined || (!proposed && agents.length === 0)) continue
      const job = await jobOf(await startOf(store, agent_id), loaded.root, trust, options)
      const next = `${agent_id.replace(/-[0-9a-f]{14}$/, '')}-${suffix}`
      byId.set(next, { ...job, agent_id: next }) // two agents of one node are tried again once
      if (proposed) old.push(proposed)
    }
    if (byId.size === 0)
      throw new TwotrackError('missing', 'No agent proposes changes, so there is nothing to try again.')
    // Nothing is thrown away before it is certain that all can be tried again.
    for (const one of old) await orReported(one.agent_id, reject(store, one, 'retried'))
    const jobs = [...byId.values()]
    const done = await runJobs(environment, jobs, options)
    report(done, jobs.length, options, store)
    return exitCode(done, jobs.length)
  } finally {
    await store.close()
  }
}
