import { randomBytes } from 'node:crypto'
import type { LoadedConfig } from '../config/load.ts'
import type { Event } from '../core/event/event.ts'
import type { Store } from '../core/store/store.ts'
import { TwotrackError } from '../errors.ts'
import { many, type Task } from '../run/many.ts'
import type { SharedRun } from '../tool/tool.ts'
import { Copies } from '../workspace/copies.ts'
import { openWorkspace } from '../workspace/workspace.ts'
import { type CommonOptions, configFor, storeFor } from './context.ts'
import {
  type Done,
  isFinished,
  isNeedless,
  type Job,
  needless,
  notBegun,
  type RunEnvironment,
  runJob,
} from './job.ts'
import { modelAssignments, reachable } from './model.ts'
import { safe, self } from './output.ts'
import { dropPlan, savePlan } from './plan.ts'
import { progressOf } from './progress.ts'
import { report, sameStore } from './report.ts'
import { environmentFor, type RunOptions } from './run-options.ts'
import { approveAt } from './terminal.ts'
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
  /** The end of the run's name, and of the names of its agents. */
  readonly suffix: string
}

/** Makes jobs, runs them and reports; returns the exit code. */
export const performRun = (
  options: RunOptions,
  jobsOf: (start: RunStart) => Promise<readonly Job[]>,
): Promise<number> =>
  startRun(options, async (start) => {
    const jobs = await jobsOf(start)
    if (jobs.length === 0) return 0
    if (jobs.length >= MANY_AGENTS) await assertAnswers(start)
    const done = await runJobs(start.environment, jobs, options)
    await report(done, jobs.length, options, start.store)
    return exitCode(done, jobs.length, options.failOn)
  })

/** What a run needs, for as long as `use` takes. */
export async function startRun<T>(options: RunOptions, use: (start: RunStart) => Promise<T>): Promise<T> {
  const loaded = configFor({ ...options, set: [...(options.set ?? []), ...modelAssignments(options)] })
  const trust = await trustFor(loaded, options)
  const store = storeFor(loaded)
  try {
    const minute = new Date().toISOString().slice(2, 16).replace(/\D/g, '')
    const suffix = `${minute}${randomBytes(2).toString('hex')}`
    const environment = environmentFor(loaded, store, `run-${suffix}`, options, trust)
    return await use({ loaded, project: loaded.root, trust, store, environment, suffix })
  } finally {
    await store.close()
  }
}

async function assertAnswers({ loaded, trust }: RunStart): Promise<void> {
  const { name, ok, message } = await reachable(loaded, trust.trusts)
  if (!ok)
    throw new TwotrackError('model_fault', `${name} does not answer, so no agent was begun: ${message}`)
}

/**
 * 0: all is well · 1: some failed, or problems are open and these count · 2: none handed in a result · 130: stopped
 * from outside, as a shell says it.
 * @internal
 */
export function exitCode(
  done: readonly Done[],
  wanted: number,
  failOn: RunOptions['failOn'] = 'problems',
): number {
  const isFailed = ({ stop }: Done) => stop.reason === 'model_failed'
  if (done.some(({ stop }) => stop.reason === 'cancelled')) return 130
  if (done.length < wanted && !done.some(isFailed)) return 130
  if (failOn === 'never') return 0
  if (!done.some(isFinished)) return 2
  const isBad = ({ failed, open }: Done) => failed || (failOn === 'problems' && open.length > 0)
  return done.length < wanted || done.some(isBad) ? 1 : 0
}

/** Runs jobs side by side with a progress view; Ctrl-C stops them cleanly, a second one at once. */
export async function runJobs(
  environment: RunEnvironment,
  jobs: readonly Job[],
  options: Pick<RunOptions, 'concurrency' | 'store' | 'folder'>,
): Promise<Done[]> {
  const stop = new AbortController()
  const interrupt = () => (stop.signal.aborted ? process.exit(130) : stop.abort(new Error('interrupted')))
  process.on('SIGINT', interrupt)
  process.on('SIGTERM', interrupt)
  const { folder, store } = environment
  const run_id = jobs[0]?.run_id ?? environment.run_id
  if (store.kind !== 'memory') await savePlan(folder, run_id, jobs)
  const progress = progressOf(jobs.length)
  const copies = new Copies(folder)
  const link = [...new Set(jobs.flatMap(({ agent }) => agent.definition.link))]
  const shared: SharedRun = {
    paths: [...new Set(jobs.map(({ target }) => target.file_path))],
    tree: () => copies.tree(environment.project, link),
    signal: stop.signal,
    tell: (line) => progress.tell(line),
  }
  const approve = approveAt(progress)
  const ofAll = {
    copies,
    shared,
    ...(approve ? { approve } : {}),
    onEvent: (event: Event) => progress.happened(event),
  }
  const tasks: Task<Done>[] = jobs.map((job) => ({
    id: job.agent_id,
    ...(job.priority === undefined ? {} : { priority: job.priority }),
    run: async () => {
      const own = { ...environment, ...ofAll }
      const skipped = await needless(own, job, stop.signal)
      if (skipped) return skipped
      progress.begin(job.agent_id, `${job.agent.operation} ${job.target.node.id}`)
      return runJob(own, job, stop.signal)
    },
  }))
  try {
    const byId = new Map(jobs.map((job) => [job.agent_id, job]))
    const done = new Map<string, Done>()
    let unanswered = 0
    const unanswering = new AbortController()
    const queue = AbortSignal.any([stop.signal, unanswering.signal])
    const atOnce = options.concurrency ?? environment.config.run.concurrency
    await many(tasks, atOnce, queue, (end) => {
      const job = byId.get(end.id)
      const one = 'value' in end ? end.value : job && notBegun(job, end.failed)
      if (!one) return
      done.set(end.id, one)
      if (isNeedless(one)) progress.skip()
      else progress.end(end.id, one.failed)
      unanswered = one.stop.reason === 'model_failed' ? unanswered + 1 : 0
      if (unanswered >= MODEL_FAILURES_MAX) unanswering.abort()
    })
    const inOrder = jobs.flatMap(({ agent_id }) => done.get(agent_id) ?? [])
    if (store.kind === 'memory') await discardAll(inOrder, environment)
    else if (inOrder.length === jobs.length) await dropPlan(folder, run_id)
    if (queue.aborted && store.kind !== 'memory')
      progress.tell(howToGoOn(inOrder, jobs.length, run_id, stop.signal.aborted, options))
    return inOrder
  } finally {
    await copies.close()
    progress.close()
    process.off('SIGINT', interrupt)
    process.off('SIGTERM', interrupt)
  }
}

/** Without a log nobody could accept what is in a workspace, or find it. */
async function discardAll(done: readonly Done[], { project, folder }: RunEnvironment): Promise<void> {
  for (const { agent_id: id, changes } of done)
    if (changes.length > 0) await (await openWorkspace({ project, folder, id })).discard()
}

function howToGoOn(
  done: readonly Done[],
  wanted: number,
  runId: string,
  isStopped: boolean,
  options: CommonOptions,
): string {
  const why = isStopped
    ? 'Stopped.'
    : `The model gave ${MODEL_FAILURES_MAX} agents in a row no answer, so ${wanted - done.length} others were not begun.`
  const isLeft = done.length < wanted || !done.every(isFinished)
  return isLeft ? `${why} Go on with: ${self} resume --run ${safe(runId)}${sameStore(options)}` : why
}
