import { resolve } from 'node:path'
import { z } from 'zod'
import type { Agent, Target } from '../agent/agent.ts'
import { goalOf } from '../agent/template.ts'
import type { Config } from '../config/config.ts'
import { contextMode } from '../config/config.ts'
import { messageOf } from '../errors.ts'
import type { Hub } from '../hub/hub.ts'
import { Memory } from '../memory/memory.ts'
import { frameTokens } from '../model/formats.ts'
import type { Model } from '../model/model.ts'
import { followRun } from '../run/follow.ts'
import { loop } from '../run/loop.ts'
import type { AgentRun, Happened, Stop } from '../run/run.ts'
import type { Store } from '../store/store.ts'
import { declarationOf } from '../tool/tool.ts'
import type { Change } from '../workspace/changes.ts'
import { createWorkspace, openWorkspace, type Workspace } from '../workspace/workspace.ts'
import { memorySettings } from './context.ts'

/** What all agents of one invocation share. */
export interface RunEnvironment {
  readonly config: Config
  readonly project: string
  readonly folder: string
  readonly store: Store
  readonly model: Model
  readonly escalation?: Model
  readonly hub?: (workspace: string) => Promise<Hub>
  readonly run_id: string
  readonly turns_max?: number
  readonly context?: AgentRun['context']
  readonly onEvent?: (happened: Happened) => void
}

/** One agent on one node. */
export interface Job {
  readonly agent: Agent
  readonly agent_id: string
  readonly target: Omit<Target, 'workspace'>
  /** Higher goes first. */
  readonly priority?: number
  /** Of the run that it goes on with; the environment's otherwise. */
  readonly run_id?: string
}

export interface Done {
  readonly agent_id: string
  readonly operation: string
  readonly node_id: string
  /** `failed`: it could not even be begun, and no log says why. */
  readonly stop: Stop | { readonly reason: 'failed'; readonly summary: string }
  readonly turns: number
  readonly prompt_tokens: number
  /** What was recorded: events, raw output in bytes, and the largest prompt in tokens. */
  readonly events: number
  readonly raw_bytes: number
  readonly prompt_tokens_max: number
  readonly changes: readonly Change[]
  /** Problems that are still open, as the packet has them. */
  readonly open: readonly string[]
}

/** Runs one job from its first event to its last, or goes on with one that was cut short. */
export async function work(environment: RunEnvironment, job: Job, signal: AbortSignal): Promise<Done> {
  const memory = await openMemory(environment, job)
  let hub: Hub | undefined
  try {
    const workspace = await workspaceFor(environment, job)
    hub = await hubFor(environment, memory, workspace.root)
    const state = await followRun(memory, environment.store)
    const stop = await loop({ ...runOf(environment, job, memory, workspace, hub), state }, signal)
    const { events, raw_bytes, prompt_tokens, prompt_tokens_max } = state()
    const changes = await workspace.changes()
    if (changes.length === 0 && stop.reason === 'submitted') await workspace.discard()
    return {
      agent_id: job.agent_id,
      operation: job.agent.operation,
      node_id: job.target.node.id,
      stop,
      turns: memory.turn,
      prompt_tokens,
      events,
      raw_bytes,
      prompt_tokens_max,
      changes,
      open: memory.packet.diagnostics,
    }
  } finally {
    await hub?.close()
    await memory.close()
  }
}

/** A run without a hub works: that there is none is an event. */
async function hubFor(
  environment: RunEnvironment,
  memory: Memory,
  workspace: string,
): Promise<Hub | undefined> {
  try {
    return await environment.hub?.(workspace)
  } catch (thrown) {
    await memory.record({ type: 'agent_error', data: { where: 'hub', message: messageOf(thrown) } })
    return undefined
  }
}

/** What is reported of a job that could not be begun. */
export const notBegun = ({ agent, agent_id, target }: Job, summary: string): Done => ({
  agent_id,
  operation: agent.operation,
  node_id: target.node.id,
  stop: { reason: 'failed', summary },
  turns: 0,
  prompt_tokens: 0,
  events: 0,
  raw_bytes: 0,
  prompt_tokens_max: 0,
  changes: [],
  open: [],
})

async function workspaceFor(
  { project, folder }: RunEnvironment,
  { agent, agent_id: id }: Job,
): Promise<Workspace> {
  const place = { project, folder, id }
  try {
    return await openWorkspace(place)
  } catch {
    return createWorkspace({ ...place, link: agent.definition.link })
  }
}

function runOf(
  environment: RunEnvironment,
  job: Job,
  memory: Memory,
  workspace: Workspace,
  hub: Hub | undefined,
): Omit<AgentRun, 'state'> & { target: Target } {
  const { config, store, model, escalation, onEvent } = environment
  const { prompt_tokens_max } = config.run
  return {
    agent: job.agent,
    memory,
    store,
    model,
    workspace: workspace.root,
    target: { ...job.target, workspace: workspace.root },
    context:
      environment.context ??
      (contextMode(config.runner.memory) === 'messages' ? 'messages' : config.run.context),
    limits: {
      turns_max: environment.turns_max ?? job.agent.definition.max_turns,
      ...(prompt_tokens_max > 0 ? { prompt_tokens_max } : {}),
    },
    ...(hub ? { hub } : {}),
    ...(escalation ? { escalation } : {}),
    ...(onEvent ? { onEvent } : {}),
    wait: pause,
    random: Math.random,
  }
}

async function openMemory(environment: RunEnvironment, job: Job): Promise<Memory> {
  const { agent, agent_id, target } = job
  const { definition, operation } = agent
  const tools = agent.tools.map(declarationOf)
  const goal = goalOf(definition, { ...target, workspace: '' }).trim()
  return Memory.open({
    ...memorySettings(environment.config),
    store: environment.store,
    agent_id,
    run_id: job.run_id ?? environment.run_id,
    operation,
    node: { id: target.node.id, type: target.node.type },
    goal,
    instructions: definition.prompt.trim(),
    constraints: { max_turns: environment.turns_max ?? definition.max_turns, safety: definition.safety },
    tools,
    frame_tokens: frameTokens(environment.model.format, tools),
    summarizers: agent.summarizers,
    ...(definition.extension
      ? {
          extensions: {
            [definition.extension.name]: {
              schema: z.fromJSONSchema(definition.extension.schema),
              share: definition.extension.share,
            },
          },
        }
      : {}),
    origin: {
      agent: definition.name,
      file_path: target.file_path,
      language: target.language,
      source: agent.source,
    },
  })
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(end, milliseconds)
    function end() {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      done()
    }
    signal.addEventListener('abort', end, { once: true })
  })
}

/** Where the logs and workspaces of a configuration are. */
export const folderOf = (config: Config, root: string): string => resolve(root, config.runner.memory.folder)
