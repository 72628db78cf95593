import { agentNamed, configFor, storeFor } from '../context.ts'
import type { Job } from '../job.ts'
import { modelAssignments } from '../model.ts'
import { jobOf, startOf } from './resume.ts'
import { rejectCommand } from './review.ts'
import { environmentFor, exitCode, type RunOptions, report, runJobs, runSuffix } from './run.ts'

/** Throws an agent's changes away and lets a new agent try the same operation on the same node. */
export async function retryCommand(agents: readonly string[], options: RunOptions): Promise<number> {
  await rejectCommand(agents, { ...options, reason: 'retried', quiet: true })
  const loaded = configFor({ ...options, set: [...(options.set ?? []), ...modelAssignments(options)] })
  const store = storeFor(loaded)
  try {
    const suffix = runSuffix()
    const byId = new Map<string, Job>()
    for (const given of agents) {
      const job = await jobOf(await startOf(store, await agentNamed(store, given)), loaded.root)
      const agent_id = `${job.agent_id.replace(/-[0-9a-f]{14}$/, '')}-${suffix}`
      byId.set(agent_id, { ...job, agent_id }) // two agents of one node are tried again once
    }
    const jobs = [...byId.values()]
    const done = await runJobs(await environmentFor(loaded, store, `run-${suffix}`, options), jobs, options)
    report(done, jobs.length, options)
    return exitCode(done, jobs.length)
  } finally {
    await store.close()
  }
}
