import { begunJob, unfinishedJobs } from '../../app/begun.ts'
import type { RunOptions } from '../../app/environment.ts'
import { agentsMeant, runMeant, type WhichOptions } from '../../app/names.ts'
import { performRun } from '../perform-run.ts'

/**
 * Goes on with agents from their logs: after Ctrl-C, after a crash, or with more turns. Of a run, with all that did not
 * finish, and with those that did not begin.
 */
export async function resumeCommand(
  agents: readonly string[],
  options: RunOptions & WhichOptions,
): Promise<number> {
  return performRun(options, async (start) => {
    const { store } = start
    if (agents.length === 0) return unfinishedJobs(await runMeant(store, options), start, options)
    const named = await agentsMeant(store, agents, options)
    return Promise.all(named.map((id) => begunJob(id, start, options)))
  })
}
