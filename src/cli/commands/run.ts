import { baseOrPath, changedSince } from '../../app/changed.ts'
import { agentFor, type RunOptions } from '../../app/environment.ts'
import { jobsFor } from '../../app/targets.ts'
import { TwotrackError } from '../../errors.ts'
import { isWithin } from '../../files/confine.ts'
import { performRun } from '../perform-run.ts'

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
