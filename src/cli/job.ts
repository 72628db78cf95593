import { resolve } from 'node:path'
import type { Agent, Rule, Target } from '../agent/agent.ts'
import { extensionsOf } from '../agent/extension.ts'
import type { ProposeCandidates } from '../agent/rule-view.ts'
import { candidatesOf } from '../agent/rules.ts'
import { goalOf } from '../agent/template.ts'
import type { Config } from '../config/config.ts'
import { contextMode } from '../config/config.ts'
import type { Model } from '../model/model.ts'
import type { AgentRun } from '../run/run.ts'
import { type AgentOptions, startAgent } from '../run/start.ts'
import type { Stop } from '../run/stop.ts'
import type { Store } from '../store/store.ts'
import type { SharedRun } from '../tool/tool.ts'
import type { Trusts } from '../trust/trust.ts'
import type { Copies } from '../workspace/copies.ts'
import type { Change } from '../workspace/merged.ts'
import { memorySettings } from './context.ts'

/** What all agents of one invocation share. */
export interface RunEnvironment {
  readonly config: Config
  readonly project: string
  readonly folder: string
  readonly store: Store
  readonly model: Model
  readonly trusts: Trusts
  /** Asks a person about calls that an agent's policy names; undefined where nobody is there. */
  readonly approve?: AgentOptions['approve']
  readonly escalation?: Model
  readonly hub?: AgentOptions['hub']
  readonly run_id: string
  readonly turns_max?: number
  readonly context?: AgentOptions['context']
  readonly onEvent?: AgentOptions['onEvent']
  /** Copies of the project that its agents use one after another. */
  readonly copies?: Copies
  readonly shared?: SharedRun
}

/** One agent on one node. */
export interface Job {
  readonly agent: Agent
  readonly agent_id: string
  readonly target: Target
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
  /** Whether it handed in nothing, or handed in that it failed: tests fail, a linter did not run. */
  readonly failed: boolean
  readonly turns: number
  readonly prompt_tokens: number
  /** What was recorded: events, raw output in bytes, and the largest prompt in tokens. */
  readonly events: number
  readonly raw_bytes: number
  readonly prompt_tokens_max: number
  readonly changes: readonly Change[]
  /** Problems that are still open. */
  readonly open: readonly string[]
}

/** Runs one job from its first event to its last, or goes on with one that was cut short. */
export async function runJob(environment: RunEnvironment, job: Job, signal: AbortSignal): Promise<Done> {
  const report = await startAgent({ ...optionsOf(environment, job), signal })
  const { stop, turns, prompt_tokens, prompt_tokens_max, events, raw_bytes, changes, open, failed } = report
  return {
    ...jobNames(job),
    stop,
    failed,
    turns,
    prompt_tokens,
    events,
    raw_bytes,
    prompt_tokens_max,
    changes,
    open,
  }
}

const jobNames = ({ agent, agent_id, target }: Job) => ({
  agent_id,
  operation: agent.operation,
  node_id: target.node.id,
})

/** The rules of the definition, then what its own function adds. */
function candidatesFrom({ definition: { candidates }, propose }: Agent): readonly Rule[] | ProposeCandidates {
  return propose ? (view) => [...candidatesOf(candidates, view), ...propose(view)] : candidates
}

/** What is reported of a job that could not be begun. */
export const notBegun = (job: Job, summary: string): Done => ({
  ...jobNames(job),
  stop: { reason: 'failed', summary },
  failed: true,
  turns: 0,
  prompt_tokens: 0,
  events: 0,
  raw_bytes: 0,
  prompt_tokens_max: 0,
  changes: [],
  open: [],
})

function optionsOf(environment: RunEnvironment, job: Job): AgentOptions {
  const { config, store, model, trusts, escalation, hub, onEvent, project, folder, copies, shared } =
    environment
  const { agent, agent_id, target } = job
  const { definition, operation } = agent
  const { prompt_tokens_max } = config.run
  return {
    ...memorySettings(config),
    store,
    model,
    trusts,
    ...(environment.approve ? { approve: environment.approve } : {}),
    ...(definition.policy ? { policy: definition.policy } : {}),
    agent_id,
    run_id: job.run_id ?? environment.run_id,
    operation,
    node: { id: target.node.id, type: target.node.type },
    goal: goalOf(definition, target).trim(),
    instructions: definition.prompt.trim(),
    safety: definition.safety,
    tools: agent.tools,
    summarizers: agent.summarizers,
    candidates: candidatesFrom(agent),
    status: definition.status,
    failsWhen: definition.fails_when,
    node_summary: target.node.summary,
    extensions: extensionsOf(definition),
    contextProviders: agent.context,
    workspace: { project, folder, link: definition.link, ...(copies ? { copies } : {}) },
    context: environment.context ?? contextOf(config),
    limits: {
      turns_max: environment.turns_max ?? definition.max_turns,
      ...(prompt_tokens_max > 0 ? { prompt_tokens_max } : {}),
    },
    ...(shared ? { shared } : {}),
    ...(hub ? { hub } : {}),
    ...(escalation ? { escalation } : {}),
    ...(onEvent ? { onEvent } : {}),
    origin: {
      agent: definition.name,
      file_path: target.file_path,
      language: target.language,
      source: agent.source,
    },
  }
}

const contextOf = ({ runner, run }: Config): AgentRun['context'] =>
  contextMode(runner.memory) === 'messages' ? 'messages' : run.context

/** Where the logs and workspaces of a configuration are. */
export const folderOf = (config: Config, root: string): string => resolve(root, config.runner.memory.folder)
