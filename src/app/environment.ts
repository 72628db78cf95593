import type { Agent } from '../agent/agent.ts'
import { agentRequest, loadAgents } from '../agents/load.ts'
import { defined } from '../core/event/json.ts'
import { TwotrackError } from '../errors.ts'
import type { ProjectHub } from '../hub/open.ts'
import { nearest } from '../text/suggest.ts'
import type { Project, ProjectOptions } from './context.ts'
import type { Front } from './front.ts'
import type { RunEnvironment } from './job.ts'
import { escalationFor, modelFor } from './model.ts'
import { type ProjectTrust, requestsOf, type TrustOptions } from './trust.ts'

/** Which agent a name stands for, and what of the project it may use. */
export interface AgentChoice extends TrustOptions {
  /** The built-in agent, though the project has one of its name. */
  readonly builtIn?: boolean
}

export interface RunOptions extends ProjectOptions, AgentChoice {
  readonly model?: string
  readonly url?: string
  readonly context?: 'packet' | 'messages' | 'both'
  readonly concurrency?: number
  readonly maxTurns?: number
  /** Minutes. */
  readonly waitApproval?: number
  readonly hub?: boolean
  readonly failOn?: 'never' | 'problems' | 'failures'
}

const MINUTE_MS = 60_000

export async function agentFor(
  operation: string,
  project: string,
  { trusts, ask }: ProjectTrust,
  { builtIn = false }: AgentChoice,
  front: Front,
): Promise<Agent> {
  const own = builtIn ? undefined : await agentRequest(project, operation)
  if (own) await ask([own])
  const from = builtIn ? {} : { project, trusts }
  const { agents, problems } = await loadAgents({ ...from, only: operation })
  for (const { source, message } of problems) front.note(`${source}: ${message}`)
  const agent = agents.get(operation)
  if (agent) {
    if (own) front.note(`${operation} is ${agent.source} of this project.`)
    await ask(await requestsOf(agent.tools, project))
    return agent
  }
  const known = [...(await loadAgents(from)).agents.keys()]
  const meant = nearest(operation, known)
  throw new TwotrackError(
    'bad_argument',
    `There is no agent "${operation}"${meant === undefined ? ' that can be used.' : `; did you mean ${meant}?`} There are: ${known.join(', ')}.`,
  )
}

export function environmentFor(
  loaded: Project,
  store: RunEnvironment['store'],
  run_id: string,
  options: Pick<RunOptions, 'context' | 'maxTurns' | 'hub' | 'waitApproval'>,
  { trusts }: ProjectTrust,
  front: Front,
  hub: ProjectHub,
): RunEnvironment {
  const { config, root: project, folder } = loaded
  const { context, maxTurns: turns_max, waitApproval = 0 } = options
  return {
    ...{ config, project, folder, store, run_id, trusts },
    approval_wait_ms: waitApproval * MINUTE_MS,
    model: modelFor(loaded, front),
    ...defined({ escalation: escalationFor(loaded, front), context, turns_max }),
    ...(options.hub === false ? {} : { hub }),
  }
}
