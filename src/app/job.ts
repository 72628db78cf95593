import type { Agent, Rule, Target } from '../agent/agent.ts'
import { extensionsOf } from '../agent/extension.ts'
import type { ProposeCandidates } from '../agent/rule-view.ts'
import { candidatesOf, conditionHolds } from '../agent/rules.ts'
import { fillJson, goalFor, lookupIn } from '../agent/template.ts'
import { type Config, contextMode } from '../config/config.ts'
import { defined, type JsonObject } from '../core/event/json.ts'
import type { Store } from '../core/store/store.ts'
import { TwotrackError } from '../errors.ts'
import type { ProjectHub } from '../hub/open.ts'
import type { Model } from '../model/model.ts'
import type { AgentOptions, AgentReport } from '../run/agent-options.ts'
import type { Standing } from '../run/agent-summary.ts'
import { approving } from '../run/approval.ts'
import type { AgentRun } from '../run/run.ts'
import { startAgent } from '../run/start.ts'
import type { Stop } from '../run/state.ts'
import type { McpServers } from '../tool/mcp.ts'
import { filesIn, type SharedRun } from '../tool/tool.ts'
import type { Trusts } from '../trust/trust.ts'
import type { Copies } from '../workspace/copies.ts'
import { memorySettings } from './context.ts'
import { personName } from './person.ts'

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
  /** How long such a call waits for an answer from another machine where nobody is here. */
  readonly approval_wait_ms?: number
  readonly escalation?: Model
  readonly hub?: ProjectHub
  readonly run_id: string
  readonly turns_max?: number
  readonly context?: AgentOptions['context']
  readonly onEvent?: AgentOptions['onEvent']
  /** Copies of the project that its agents use one after another. */
  readonly copies?: Copies
  readonly shared?: SharedRun
  /** MCP servers that its agents use. */
  readonly servers?: McpServers
}

/** One agent on one node. */
export interface Job {
  readonly agent: Agent
  readonly agent_id: string
  readonly target: Target
  /** Somebody asked for this very node, or it was begun before: it is worked on even where there seems to be nothing to do. */
  readonly isNamed?: boolean
  /** Higher goes first. */
  readonly priority?: number
  /** Of the run that it goes on with; the environment's otherwise. */
  readonly run_id?: string
}

/** What came of it. */
export interface Done extends Omit<AgentReport, 'stop' | 'standing' | 'result' | 'packet'> {
  readonly operation: string
  readonly node_id: string
  /** Without a log: it could not be begun (`failed`), or did not have to be (`nothing_to_do`). */
  readonly stop: Stop | { readonly reason: 'failed' | 'nothing_to_do'; readonly summary: string }
  readonly standing: Standing | 'nothing_to_do'
}

/** Whether no agent was begun because there is nothing to do. */
export const isNeedless = ({ stop }: Done): boolean => stop.reason === 'nothing_to_do'

export const isFinished = (done: Done): boolean => done.stop.reason === 'submitted' || isNeedless(done)

/** Runs one job from its first event to its last, or goes on with one that was cut short. */
export async function runJob(environment: RunEnvironment, job: Job, signal: AbortSignal): Promise<Done> {
  const theirs = (await environment.servers?.toolsOf(job.agent.definition.mcp)) ?? []
  const tools = [...job.agent.tools, ...theirs]
  const report = await startAgent({ ...optionsOf(environment, job), tools, signal })
  const { stop, standing, failed, claim, turns, events, raw_bytes, prompt_tokens, prompt_tokens_max } = report
  const { problems, changes, open } = report
  const totals = { turns, events, raw_bytes, prompt_tokens, prompt_tokens_max }
  return {
    ...jobNames(job),
    standing,
    failed,
    stop,
    ...defined({ claim }),
    ...totals,
    changes,
    problems,
    open,
  }
}

const jobNames = ({ agent, agent_id, target }: Job) => ({
  agent_id,
  operation: agent.operation,
  node_id: target.node.id,
})

/**
 * What is reported of a job on which there is nothing to do, by what the context providers say of the project as it is.
 * Undefined where there is something to do, or where it has to be begun to find out: what fails is told in its log.
 */
export async function needless(
  { project, trusts, shared, hub }: RunEnvironment,
  job: Job,
  signal: AbortSignal,
): Promise<Done | undefined> {
  const { agent, target, isNamed } = job
  const { skip_when } = agent.definition
  const isAsked = isNamed || !agent.context.every(({ filesOnly }) => filesOnly)
  if (isAsked || skip_when.length === 0) return undefined
  const node = { id: target.node.id, type: target.node.type }
  const files = { ...filesIn(project), write: onlyLooked, complete: onlyLooked }
  const code = hub && (() => hub.graph(signal))
  const context = { workspace: project, project, files, node, signal, trusts, ...defined({ shared, code }) }
  const knowledge: JsonObject = {}
  try {
    for (const provide of agent.context) Object.assign(knowledge, await provide(context))
  } catch (thrown) {
    // What is not installed fails all agents alike: it is told once, and none is begun.
    return thrown instanceof TwotrackError && thrown.code === 'missing'
      ? notBegun(job, thrown.message)
      : undefined
  }
  const view = { turn: 0, node, knowledge, actions: [], calls: {}, diagnostics: [], last_error: null }
  const lookup = lookupIn(view)
  const rule = skip_when.find(({ when }) => conditionHolds(when, view, lookup))
  return rule && notBegun(job, String(fillJson(rule.text, lookup) ?? rule.text), 'nothing_to_do')
}

const onlyLooked = (): Promise<never> =>
  Promise.reject(new TwotrackError('bad_argument', 'Nothing can be changed before the agent has begun.'))

/** The rules of the definition, then what its own function adds. */
function candidatesFrom({ definition: { candidates }, propose }: Agent): readonly Rule[] | ProposeCandidates {
  return propose ? (view) => [...candidatesOf(candidates, view), ...propose(view)] : candidates
}

/** What is reported of a job without a log. */
export const notBegun = (job: Job, summary: string, reason: 'failed' | 'nothing_to_do' = 'failed'): Done =>
  notDone(jobNames(job), summary, reason)

/** What is reported of a job of which nothing more is known. */
export const notDone = (
  names: Pick<Done, 'agent_id' | 'operation' | 'node_id'>,
  summary: string,
  reason: 'failed' | 'cancelled' | 'nothing_to_do',
): Done => ({
  ...names,
  standing: reason,
  failed: reason !== 'nothing_to_do',
  stop: { reason, summary },
  turns: 0,
  prompt_tokens: 0,
  events: 0,
  raw_bytes: 0,
  prompt_tokens_max: 0,
  changes: [],
  problems: 0,
  open: [],
})

/** Whoever answers first: the person here, or one who has the store. */
function approveFor({ store, run_id, approve, approval_wait_ms: waitMs = 0 }: RunEnvironment, job: Job) {
  const runId = job.run_id ?? run_id
  return approving({ store, runId, by: personName(), waitMs, ...defined({ here: approve }) })
}

function optionsOf(environment: RunEnvironment, job: Job): AgentOptions {
  const { config, store, model, trusts, escalation, hub, onEvent, shared } = environment
  const { project, folder, copies } = environment
  const { agent, agent_id, target } = job
  const { definition, operation } = agent
  const { prompt_tokens_max } = config.run
  return {
    ...memorySettings(config, folder),
    ...defined({
      approve: approveFor(environment, job),
      policy: definition.policy,
      shared,
      escalation,
      onEvent,
    }),
    ...(hub ? { hub: async (workspace) => hub.at(workspace) } : {}),
    store,
    model,
    trusts,
    agentId: agent_id,
    runId: job.run_id ?? environment.run_id,
    operation,
    node: { id: target.node.id, type: target.node.type },
    goal: goalFor(definition, target).trim(),
    instructions: definition.prompt.trim(),
    safety: definition.safety,
    summarizers: agent.summarizers,
    candidates: candidatesFrom(agent),
    status: definition.status,
    ...defined({ check: definition.check }),
    failsWhen: definition.fails_when,
    nodeSummary: target.node.summary,
    extensions: extensionsOf(definition),
    contextProviders: agent.context,
    workspace: {
      ...{ project, folder, link: definition.link },
      // Another machine may go on with it.
      portable: store.kind === 'postgres',
      ...defined({ copies }),
    },
    context: environment.context ?? contextOf(config),
    limits: {
      turnsMax: environment.turns_max ?? definition.max_turns,
      ...(prompt_tokens_max > 0 ? { promptTokensMax: prompt_tokens_max } : {}),
    },
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
