import { TwotrackError } from '../errors.ts'
import { isWithin } from '../files/confine.ts'
import { baseOrPath, changedSince } from './changed.ts'
import { type AgentChoice, agentFor } from './environment.ts'
import type { Job } from './job.ts'
import type { RunStart } from './run-jobs.ts'
import { jobsFor } from './targets.ts'

/** Which nodes a run is asked for: those under the paths, or all here. */
export interface RunAsked extends AgentChoice {
  /** Only what git says changed since this revision, or since the last commit. */
  readonly changed?: string | true
}

const NAMES = { python: 'Python', typescript: 'TypeScript', javascript: 'JavaScript' }
const LIST = new Intl.ListFormat('en', { type: 'disjunction' })

/** One job per node under the paths that the agent works on. Throws `missing` where there is none. */
export async function jobsAsked(
  operation: string,
  paths: readonly string[],
  { changed: since, ...choice }: RunAsked,
  { project, trust, suffix, front }: RunStart,
): Promise<Job[]> {
  const agent = await agentFor(operation, project, trust, choice, front)
  const { base, path } = since === undefined ? {} : await baseOrPath(since, project)
  const changed = since === undefined ? undefined : await changedSince(project, base)
  const here = isWithin(project, process.cwd()) ? '.' : project
  const given = path === undefined ? paths : [...paths, path]
  const jobs = await jobsFor(agent, project, given.length === 0 ? [here] : given, suffix, front, changed)
  if (jobs.length > 0) return jobs
  const { languages, node_types } = agent.definition
  const what = `${LIST.format(languages.map((one) => NAMES[one]))} ${node_types.join(' or ')}${changed ? ' changed' : ''}`
  const where = given.map((one) => (one === '.' ? 'this folder' : one)).join(', ') || 'this folder'
  throw new TwotrackError('missing', `Nothing to do: no ${what} under ${where}.`)
}
