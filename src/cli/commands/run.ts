import { TwotrackError } from '../../errors.ts'
import { baseOrPath, changedSince } from '../changed.ts'
import { performRun } from '../run-jobs.ts'
import { agentFor, type RunOptions } from '../run-options.ts'
import { jobsFor } from '../targets.ts'

export interface RunCommandOptions extends RunOptions {
  /** Only what git says changed since this revision, or since the last commit. */
  readonly changed?: string | true
}

/** Runs one agent per node under the paths; returns the exit code. */
export async function runCommand(
  operation: string,
  paths: readonly string[],
  options: RunCommandOptions,
): Promise<number> {
  return performRun(options, async ({ project, trust, suffix }) => {
    const agent = await agentFor(operation, project, trust, options)
    const { base, path } = options.changed === undefined ? {} : await baseOrPath(options.changed, project)
    const changed = options.changed === undefined ? undefined : await changedSince(project, base)
    const given = path === undefined ? paths : [...paths, path]
    const jobs = await jobsFor(agent, project, given.length === 0 ? [project] : given, suffix, changed)
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
