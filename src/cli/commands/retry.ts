import type { RunOptions } from '../../app/environment.ts'
import type { WhichOptions } from '../../app/names.ts'
import { jobsToRetry } from '../../app/retry.ts'
import { type CommandWords, LAST_RUN, OF_ALL, OF_RUN, RUN } from '../command.ts'
import type { Found } from '../output.ts'
import { performRun } from '../perform-run.ts'

/** Throws what agents propose away and lets new ones try the same operation on the same nodes. */
const retryCommand = (agents: readonly string[], options: RunOptions & WhichOptions): Promise<Found> =>
  performRun(options, (start) => jobsToRetry(agents, start, options))

export default {
  takes: '[agents...]',
  examples: ['retry lint#3', 'retry --all --model openai:gpt-oss-20b'],
  options: [LAST_RUN, OF_RUN, OF_ALL, ...RUN],
  call: retryCommand,
} satisfies CommandWords
