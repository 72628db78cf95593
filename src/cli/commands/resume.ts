import { begunJob, unfinishedJobs } from '../../app/begun.ts'
import type { RunOptions } from '../../app/environment.ts'
import { agentsMeant, runMeant, type WhichOptions } from '../../app/names.ts'
import { type CommandWords, LAST_RUN, OF_RUN, RUN } from '../command.ts'
import type { Found } from '../output.ts'
import { performRun } from '../perform-run.ts'

/**
 * Goes on with agents from their logs: after Ctrl-C, after a crash, or with more turns. Of a run, with all that did not
 * finish, and with those that did not begin.
 */
async function resumeCommand(agents: readonly string[], options: RunOptions & WhichOptions): Promise<Found> {
  return performRun(options, async (start) => {
    const { store } = start
    if (agents.length === 0) return unfinishedJobs(await runMeant(store, options), start, options)
    const named = await agentsMeant(store, agents, options)
    return Promise.all(named.map((id) => begunJob(id, start, options)))
  })
}

export default {
  takes: '[agents...]',
  examples: [
    'resume lint#3',
    'resume --last               # everything of the newest run, begun or not',
    'resume lint-src-app.py --max-turns 30',
  ],
  options: [LAST_RUN, OF_RUN, ...RUN],
  call: resumeCommand,
} satisfies CommandWords
