import { jobsToResume } from '../../app/begun.ts'
import type { RunOptions } from '../../app/environment.ts'
import type { WhichOptions } from '../../app/names.ts'
import { type CommandWords, LAST_RUN, OF_RUN, RUN } from '../command.ts'
import type { Found } from '../output.ts'
import { performRun } from '../perform-run.ts'

/**
 * Goes on with agents from their logs: after Ctrl-C, after a crash, or with more turns. Of a run, with all that did not
 * finish, and with those that did not begin.
 */
const resumeCommand = (agents: readonly string[], options: RunOptions & WhichOptions): Promise<Found> =>
  performRun(options, (start) => jobsToResume(agents, start, options))

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
