import { randomBytes } from 'node:crypto'
import { atOnce } from '../at-once.ts'
import type { LoadedConfig } from '../config/load.ts'
import type { Event } from '../core/event/event.ts'
import { defined } from '../core/event/json.ts'
import type { Store } from '../core/store/store.ts'
import { messageOf, TwotrackError } from '../errors.ts'
import { openHub } from '../hub/open.ts'
import { McpServers } from '../tool/mcp.ts'
import type { SharedRun } from '../tool/tool.ts'
import { Copies } from '../workspace/copies.ts'
import { admitted, storeFor } from './context.ts'
import { environmentFor, type RunOptions } from './environment.ts'
import type { Front } from './front.ts'
import { type Done, isNeedless, type Job, needless, notBegun, type RunEnvironment, runJob } from './job.ts'
import { configWithModel, reachable } from './model.ts'
import { recordPlan, recordSkipped } from './plan.ts'
import { type ProjectTrust, trustFor } from './trust.ts'

/** From so many agents on, the model's server is asked first whether it is there. */
const MANY_AGENTS = 5
/** So many agents in a row that got no answer from the model: the others would get none either. */
const MODEL_FAILURES_MAX = 3

/** What a command needs to make the jobs of a run. */
export interface RunStart {
  readonly loaded: LoadedConfig
  readonly project: string
  readonly trust: ProjectTrust
  readonly store: Store
  readonly environment: RunEnvironment
  readonly front: Front
  /** The end of the run's name, and of the names of its agents. */
  readonly suffix: string
}

/** What a run needs, for as long as `use` takes. */
export async function startRun<T>(
  options: RunOptions,
  front: Front,
  use: (start: RunStart) => Promise<T>,
): Promise<T> {
  const { start, close } = await openRun(configWithModel(options), options, front)
  try {
    return await use(start)
  } finally {
    await close()
    await start.store.close()
  }
}

/** The same until it is closed, in a project that need not be that of the current folder, and a store that may be open. */
export async function openRun(asked: LoadedConfig, options: RunOptions, front: Front, opened?: Store) {
  const trust = await trustFor(asked, options, front)
  const loaded = await admitted(asked, trust.trusts)
  const store = opened ?? (await storeFor(loaded))
  const hub = openHub({ project: loaded.root, folder: loaded.folder })
  const minute = new Date().toISOString().slice(2, 16).replace(/\D/g, '')
  const suffix = `${minute}${randomBytes(2).toString('hex')}`
  const environment = environmentFor(loaded, store, `run-${suffix}`, options, trust, front, hub)
  const start: RunStart = { loaded, project: loaded.root, trust, store, environment, front, suffix }
  return { start, close: () => hub.close() }
}

/** What agents side by side share, until it is closed: copies of the project, servers, and what one command told of all. */
export function sharing(
  environment: RunEnvironment,
  jobs: readonly Job[],
  { signal, tell }: Pick<SharedRun, 'signal' | 'tell'>,
) {
  const copies = new Copies(environment.folder, tell)
  const servers = new McpServers({ cwd: environment.project, signal })
  const link = [...new Set(jobs.flatMap(({ agent }) => agent.definition.link))]
  const shared: SharedRun = {
    paths: [...new Set(jobs.map(({ target }) => target.file_path))],
    checks: environment.config.checks,
    tree: () => copies.tree(environment.project, link),
    ...{ signal, tell },
  }
  return {
    own: { ...environment, copies, servers, shared },
    async close() {
      await servers.close()
      await copies.close()
    },
  }
}

/** Throws where many agents are to begin and the model is not there. */
export async function assertAnswers({ loaded, trust, front }: RunStart, agents: number): Promise<void> {
  if (agents < MANY_AGENTS) return
  const { name, ok, message } = await reachable(loaded, trust.trusts, front)
  if (!ok)
    throw new TwotrackError('model_fault', `${name} does not answer, so no agent was begun: ${message}`)
}

/** Is told how a run goes. */
export interface RunWatcher {
  begin(agentId: string, what: string): void
  happened(event: Event): void
  end(agentId: string, failed: boolean): void
  /** One agent less: there is nothing to do for it. */
  skip(): void
  /** A line about the run as a whole. */
  tell(line: string): void
}

export interface JobsOptions extends Pick<RunEnvironment, 'approve'> {
  readonly watcher: RunWatcher
  readonly signal: AbortSignal
  readonly concurrency?: number
}

/** What a run came to. */
export interface RunResult {
  readonly run_id: string
  /** In the order of the jobs; those that were not begun are absent. */
  readonly done: readonly Done[]
  readonly wanted: number
  /** Why not all were begun: somebody interrupted the run, or the model gave no answer. */
  readonly stopped?: 'interrupted' | 'no_answer'
}

/** Runs jobs side by side until all have ended, the signal stops them, or the model gives no answer. */
export async function runJobs(
  environment: RunEnvironment,
  jobs: readonly Job[],
  { watcher, signal, approve, concurrency = environment.config.run.concurrency }: JobsOptions,
): Promise<RunResult> {
  const { store } = environment
  const run_id = jobs[0]?.run_id ?? environment.run_id
  await recordPlan(environment, run_id, jobs)
  const side = sharing(environment, jobs, { signal, tell: (line) => watcher.tell(line) })
  const onEvent = (event: Event) => watcher.happened(event)
  const own = { ...side.own, onEvent, ...defined({ approve }) }
  const work = async (job: Job): Promise<Done> => {
    const skipped = await needless(own, job, signal)
    if (skipped) return skipped
    watcher.begin(job.agent_id, `${job.agent.operation} ${job.target.node.id}`)
    return runJob(own, job, signal)
  }
  const ended = new Map<Job, Done>()
  const unanswering = new AbortController()
  let unanswered = 0
  const end = (job: Job, one: Done) => {
    ended.set(job, one)
    if (isNeedless(one)) watcher.skip()
    else watcher.end(job.agent_id, one.failed && one.stop.reason !== 'cancelled')
    unanswered = one.stop.reason === 'model_failed' ? unanswered + 1 : 0
    if (unanswered >= MODEL_FAILURES_MAX) unanswering.abort()
  }
  try {
    const queue = jobs.toSorted((a, b) => (b.priority ?? 0) - (a.priority ?? 0))
    const stop = AbortSignal.any([signal, unanswering.signal])
    // One that can't be begun does not keep the others from it.
    const one = (job: Job) => work(job).catch((thrown: unknown) => notBegun(job, messageOf(thrown)))
    await atOnce(queue, concurrency, async (job) => end(job, await one(job)), stop)
    const done = jobs.flatMap((job) => ended.get(job) ?? [])
    await recordSkipped(store, run_id, done)
    const result = { run_id, done, wanted: jobs.length }
    if (signal.aborted) return { ...result, stopped: 'interrupted' }
    return unanswering.signal.aborted ? { ...result, stopped: 'no_answer' } : result
  } finally {
    await side.close()
  }
}
