import { TwotrackError } from '../../errors.ts'
import type { EventFor } from '../../event/event.ts'
import { readInside } from '../../files/files.ts'
import { parseNodes } from '../../nodes/parse.ts'
import type { Store } from '../../store/store.ts'
import { configFor, storeFor } from '../context.ts'
import type { Job } from '../job.ts'
import { unfinishedOf } from '../log-end.ts'
import { modelAssignments } from '../model.ts'
import { agentsMeant, type WhichOptions } from '../names.ts'
import { targetOf } from '../targets.ts'
import { type ProjectTrust, trustFor } from '../trust.ts'
import {
  type AgentChoice,
  agentFor,
  environmentFor,
  exitCode,
  type RunOptions,
  report,
  runJobs,
  runSuffix,
} from './run.ts'

/** Goes on with agents from their logs: after Ctrl-C, after a crash, or with more turns. */
export async function resumeCommand(
  agents: readonly string[],
  options: RunOptions & WhichOptions,
): Promise<number> {
  const loaded = configFor({ ...options, set: [...(options.set ?? []), ...modelAssignments(options)] })
  const trust = await trustFor(loaded, options)
  const store = storeFor(loaded)
  try {
    const jobs = new Map<string, Job>()
    for (const agent_id of await agentsMeant(store, agents, options)) {
      if (agents.length === 0 && (await unfinishedOf(store, agent_id)) === undefined) continue
      const start = await startOf(store, agent_id)
      jobs.set(start.agent_id, { ...(await jobOf(start, loaded.root, trust, options)), run_id: start.run_id })
    }
    const environment = await environmentFor(loaded, store, `run-${runSuffix()}`, options, trust)
    const done = await runJobs(environment, [...jobs.values()], options)
    report(done, jobs.size, options, store)
    return exitCode(done, jobs.size, options.failOn)
  } finally {
    await store.close()
  }
}

export async function startOf(store: Store, agentId: string): Promise<EventFor<'run_start'>> {
  for await (const event of store.read(agentId, { from: 1, to: 1 }))
    if (event.type === 'run_start') return event
  throw new TwotrackError('missing', `The log of "${agentId}" has no run_start.`)
}

/** The job that a log began as, on the code as it is now. */
export async function jobOf(
  start: EventFor<'run_start'>,
  project: string,
  trust: ProjectTrust,
  options: AgentChoice,
): Promise<Job> {
  const { agent: name, file_path: path } = start.data.origin ?? {}
  if (typeof name !== 'string' || typeof path !== 'string') {
    throw new TwotrackError(
      'bad_argument',
      `"${start.agent_id}" was not made by "twotrack run"; it cannot be run again.`,
    )
  }
  const bytes = await readInside(project, path).catch((cause: unknown) => {
    throw new TwotrackError('missing', `${path}, which "${start.agent_id}" worked on, is no longer there.`, {
      cause,
    })
  })
  const { nodes } = await parseNodes(path, bytes)
  const node = nodes.find(({ key }) => key === start.node_id)
  if (!node) throw new TwotrackError('missing', `${start.node_id} is no longer in ${path}.`)
  return {
    agent: await agentFor(name, project, trust, options),
    agent_id: start.agent_id,
    target: targetOf(node, bytes, nodes),
  }
}
