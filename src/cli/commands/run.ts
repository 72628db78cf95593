import { baseOrPath, changedSince } from '../../app/changed.ts'
import { agentFor, type RunOptions } from '../../app/environment.ts'
import { jobsFor } from '../../app/targets.ts'
import { TwotrackError } from '../../errors.ts'
import { isWithin } from '../../files/confine.ts'
import { type CommandWords, RUN } from '../command.ts'
import type { Found } from '../output.ts'
import { performRun } from '../perform-run.ts'

interface RunCommandOptions extends RunOptions {
  /** Only what git says changed since this revision, or since the last commit. */
  readonly changed?: string | true
}

/** Runs one agent per node under the paths; what came of it. */
async function runCommand(
  operation: string,
  paths: readonly string[],
  options: RunCommandOptions,
): Promise<Found> {
  return performRun(options, async ({ project, trust, suffix, front }) => {
    const agent = await agentFor(operation, project, trust, options, front)
    const { base, path } = options.changed === undefined ? {} : await baseOrPath(options.changed, project)
    const changed = options.changed === undefined ? undefined : await changedSince(project, base)
    const here = isWithin(project, process.cwd()) ? '.' : project
    const given = path === undefined ? paths : [...paths, path]
    const jobs = await jobsFor(agent, project, given.length === 0 ? [here] : given, suffix, front, changed)
    if (jobs.length > 0) return jobs
    const { languages, node_types } = agent.definition
    const where = given.join(', ') || '.'
    throw new TwotrackError(
      'missing',
      `Nothing to do: no ${languages.join(', ')} ${node_types.join(' or ')} ${changed ? 'changed' : ''} under ${where}.`.replace(
        '  ',
        ' ',
      ),
    )
  })
}

export default {
  takes: '<agent> [paths...]',
  examples: [
    'run lint src/',
    'run lint --changed                  # what differs from the last commit',
    'run docstring --changed=main src/   # what this branch changed',
    'run docstring src/app.py:App.run    # one node by its key',
    'run docstring src/app.py --model functiongemma --url http://127.0.0.1:8080',
    'run test . --json',
  ],
  options: [
    ...RUN,
    ['--changed [base]', 'only what git says changed since this revision (default: the last commit)'],
  ],
  call: runCommand,
} satisfies CommandWords
