import type { Store } from '../../core/store/store.ts'
import { TwotrackError } from '../../errors.ts'
import { readInside } from '../../files/files.ts'
import { parseNodes } from '../../nodes/parse.ts'
import type { Job } from '../job.ts'
import { unfinishedOf } from '../log-end.ts'
import { agentsMeant, runMeant, type WhichOptions } from '../names.ts'
import { type Planned, readPlan } from '../plan.ts'
import { performRun, type RunStart } from '../run-jobs.ts'
import { type AgentChoice, agentFor, type RunOptions } from '../run-options.ts'
import { targetOf } from '../targets.ts'

/**
 * Goes on with agents from their logs: after Ctrl-C, after a crash, or with more turns. Of a run, with all that did not
 * finish, and with those that did not begin.
 */
export async function resumeCommand(
  agents: readonly string[],
  options: RunOptions & WhichOptions,
): Promise<number> {
  return performRun(options, async (start) => {
    const { store, environment } = start
    if (agents.length > 0) {
      const named = await agentsMeant(store, agents, options)
      return Promise.all(named.map(async (id) => begunJob(await startOf(store, id), start, options)))
    }
    const run_id = await runMeant(store, options)
    const planned = await readPlan(environment.folder, run_id)
    const begun = (await store.list({ run_id })).map(({ agent_id }) => agent_id)
    const jobs: Job[] = []
    for (const id of begun)
      if ((await unfinishedOf(store, id)) !== undefined)
        jobs.push(await begunJob(await startOf(store, id), start, options))
    for (const one of planned)
      if (!begun.includes(one.agent_id)) jobs.push({ ...(await jobOf(one, start, options)), run_id })
    if (jobs.length > 0) return jobs
    throw new TwotrackError(
      'missing',
      `All agents of ${run_id} have finished; there is nothing to go on with.`,
    )
  })
}

interface Begun extends Planned {
  readonly run_id: string
}

const begunJob = async (begun: Begun, start: RunStart, options: AgentChoice): Promise<Job> => ({
  ...(await jobOf(begun, start, options)),
  run_id: begun.run_id,
  isNamed: true,
})

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
  { project, trust }: Pick<RunStart, 'project' | 'trust'>,
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
    agent: await agentFor(agent, project, trust, options),
    agent_id,
    target: targetOf(node, bytes, nodes),
  }
}
