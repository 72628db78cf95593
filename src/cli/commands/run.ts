import { jobsAsked, type RunAsked } from '../../app/asked.ts'
import type { RunOptions } from '../../app/environment.ts'
import type { QueueOptions } from '../../app/queue.ts'
import { type CommandWords, RUN } from '../command.ts'
import type { Found } from '../output.ts'
import { performRun } from '../perform-run.ts'

/** Runs one agent per node under the paths; what came of it. */
const runCommand = (
  operation: string,
  paths: readonly string[],
  options: RunOptions & RunAsked & QueueOptions & { readonly inspect?: boolean; readonly queue?: boolean },
): Promise<Found> => performRun(options, (start) => jobsAsked(operation, paths, options, start))

export default {
  takes: '<agent> [paths...]',
  examples: [
    'run lint src/',
    'run lint --changed                  # what differs from the last commit',
    'run docstring --changed=main src/   # what this branch changed',
    'run docstring src/app.py:App.run    # one node by its key',
    'run docstring src/app.py --model functiongemma --url http://127.0.0.1:8080',
    'run test . --json',
    'run lint src/ --store postgres --queue --needs ruff',
  ],
  options: [
    ...RUN,
    ['--queue', 'let workers do it, on this machine or others (twotrack worker), and follow'],
    ['--needs <tags...>', 'with --queue: what a worker must have, such as ruff'],
    ['--from-git', 'with --queue: workers get committed files from their own clone'],
    ['--inspect', 'open a local page that shows the run as it goes on'],
    ['--changed [base]', 'only what git says changed since this revision (default: the last commit)'],
  ],
  call: runCommand,
} satisfies CommandWords
