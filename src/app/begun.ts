import type { Store } from '../core/store/store.ts'
import { TwotrackError } from '../errors.ts'
import { readInside } from '../files/files.ts'
import { parseNodes } from '../nodes/parse.ts'
import { readAgentSummary, unfinished } from '../run/agent-summary.ts'
import { readProposal } from '../run/proposal.ts'
import { type AgentChoice, agentFor } from './environment.ts'
import type { Job } from './job.ts'
import { agentsMeant, runMeant, shortNames, type WhichOptions } from './names.ts'
import { commitOf, newestPlanned, type Planned, planOf } from './plan.ts'
import type { RunStart } from './run-jobs.ts'
import { targetOf } from './targets.ts'

/** The agents to go on with that are named, or all that is left of a run. */
export async function jobsToResume(
  agents: readonly string[],
  start: RunStart,
  options: AgentChoice & WhichOptions,
): Promise<Job[]> {
  if (agents.length === 0) {
    const run = await runMeant(start.store, options, await newestPlanned(start.store))
    return unfinishedJobs(run, start, options)
  }
  const named = await agentsMeant(start.store, agents, options)
  const short = shortNames(start.store)
  const left: string[] = []
  const finished: string[] = []
  for (const agent_id of named) {
    const { agent } = await readProposal(start.store, agent_id)
    if (unfinished(agent) === undefined) finished.push(await short(agent))
    else left.push(agent_id)
  }
  const words = `${finished.join(', ')} ${finished.length === 1 ? 'has' : 'have'} finished`
  if (left.length === 0) throw new TwotrackError('missing', `${words}; there is nothing to go on with.`)
  if (finished.length > 0) start.front.note(`${words}.`)
  return Promise.all(left.map((id) => begunJob(id, start, options)))
}

/** What is left of a run: agents that did not finish, and those that did not begin. */
async function unfinishedJobs(run_id: string, start: RunStart, options: AgentChoice): Promise<Job[]> {
  const { store, project, front } = start
  const { agents: planned, commit } = await planOf(store, run_id)
  const here = commit === undefined ? undefined : await commitOf(project)
  if (commit !== undefined && commit !== here)
    front.note(`${run_id} was planned at commit ${commit}; this project is at ${here ?? 'none'}.`)
  const entries = await store.list({ run_id })
  const begun = new Set(entries.map(({ agent_id }) => agent_id))
  const jobs: Job[] = []
  for (const entry of entries)
    if (unfinished(await readAgentSummary(store, entry)) !== undefined)
      jobs.push(await begunJob(entry.agent_id, start, options))
  for (const one of planned)
    if (!begun.has(one.agent_id)) jobs.push({ ...(await jobOf(one, start, options)), run_id })
  if (jobs.length > 0) return jobs
  throw new TwotrackError('missing', `All agents of ${run_id} have finished; there is nothing to go on with.`)
}

interface Begun extends Planned {
  readonly run_id: string
}

/** An agent that has a log, to go on with. */
async function begunJob(agent_id: string, start: RunStart, options: AgentChoice): Promise<Job> {
  const begun = await startOf(start.store, agent_id)
  return { ...(await jobOf(begun, start, options)), run_id: begun.run_id, isNamed: true }
}

/** What an agent was begun as. */
export async function startOf(store: Store, agent_id: string): Promise<Begun> {
  for await (const event of store.read(agent_id, { from: 1, to: 1 })) {
    if (event.type !== 'run_start') break
    const { agent, file_path } = event.data.origin ?? {}
    const { run_id, node_id } = event
    if (typeof agent === 'string' && typeof file_path === 'string')
      return { agent_id, run_id, agent, node_id, file_path }
  }
  throw new TwotrackError(
    'bad_argument',
    `"${agent_id}" was not made by "twotrack run"; it cannot be run again.`,
  )
}

/** The same job on the code as it is now. */
export async function jobOf(
  { agent_id, agent, node_id, file_path }: Planned,
  { project, trust, front }: Pick<RunStart, 'project' | 'trust' | 'front'>,
  options: AgentChoice,
): Promise<Job> {
  const bytes = await readInside(project, file_path).catch((cause: unknown) => {
    const message = `${file_path}, which "${agent_id}" worked on, is no longer there.`
    throw new TwotrackError('missing', message, { cause })
  })
  const { nodes } = await parseNodes(file_path, bytes)
  const node = nodes.find(({ key }) => key === node_id)
  if (!node) throw new TwotrackError('missing', `${node_id} is no longer in ${file_path}.`)
  return {
    agent: await agentFor(agent, project, trust, options, front),
    agent_id,
    target: targetOf(node, bytes, nodes),
  }
}
