import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { atOnce } from '../at-once.ts'
import type { LoadedConfig } from '../config/load.ts'
import { defined } from '../core/event/json.ts'
import type { Store } from '../core/store/store.ts'
import { TwotrackError } from '../errors.ts'
import { isOver } from '../queue/job.ts'
import type { JobFilter, Queue, QueuedJob } from '../queue/queue.ts'
import { readProposal } from '../run/proposal.ts'
import { changesOf } from '../run/propose.ts'
import { hideFor } from '../secrets/hide.ts'
import { keepBase } from '../workspace/base.ts'
import {
  memorySettings,
  type Project,
  type ProjectOptions,
  projectFor,
  sharedPlace,
  storeFor,
} from './context.ts'
import type { RunOptions } from './environment.ts'
import { type Done, type Job, notDone } from './job.ts'
import { recordPlan } from './plan.ts'
import type { RunResult, RunStart, RunWatcher } from './run-jobs.ts'

/** How often a run in the queue is looked at. */
const LOOK_MS = 500
/** States that were written at the same moment may be seen one after the other. */
const OVERLAP_MS = 5_000
const LOGS_AT_ONCE = 8
/** After so long without one that was taken it is said what they wait for. */
const UNTAKEN_MS = 5_000

/** What a worker has that was given a clone: another one would fail jobs whose files are there, again and again. */
export const GIT_CLONE = 'git-clone'

export interface QueueOptions {
  /** Tags that a worker must have. */
  readonly needs?: readonly string[]
  /** Files that the last commit has are not stored: workers get them from a clone. */
  readonly fromGit?: boolean
}

/** What came of a job, as its worker stores it. The log has the changes. */
const resultSchema = z.object({
  stop: z.object({ reason: z.string(), summary: z.string() }),
  ...{ standing: z.string(), failed: z.boolean(), claim: z.string().optional(), turns: z.number() },
  ...{ events: z.number(), raw_bytes: z.number(), prompt_tokens: z.number(), prompt_tokens_max: z.number() },
  ...{ problems: z.number(), open: z.array(z.string()), changed: z.number() },
})
export type JobResult = z.infer<typeof resultSchema>

export const jobResultOf = ({
  changes,
  agent_id: _,
  operation: __,
  node_id: ___,
  ...done
}: Done): JobResult => ({
  ...done,
  open: [...done.open],
  changed: changes.length,
})

/** The queue of a project, for as long as `use` takes. Throws `bad_config` where its store is no shared one. */
export async function withQueue<T>(
  loaded: Pick<LoadedConfig, 'config' | 'root'>,
  use: (queue: Queue) => Promise<T>,
): Promise<T> {
  const { openQueue } = await import('../queue/open.ts')
  const { queue, close } = openQueue(sharedPlace(loaded))
  try {
    return await use(queue)
  } finally {
    await close()
  }
}

/** The same for a command that is about the queue alone. */
export const inQueue = async <T>(
  options: ProjectOptions,
  use: (queue: Queue, project: Project) => Promise<T>,
): Promise<T> => {
  const project = await projectFor(options)
  return withQueue(project, (queue) => use(queue, project))
}

/** The store of a project, for as long as `use` takes. */
export async function sharedStore<T>(project: Project, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await storeFor(project)
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}

/** Puts jobs where workers take them, with the project that they are about. Gives how many: none for a file that no worker gets. */
export async function submitJobs(
  queue: Queue,
  { environment, store, loaded, front }: RunStart,
  jobs: readonly Job[],
  options: RunOptions & QueueOptions,
): Promise<number> {
  const { project, folder, run_id, config } = environment
  const { secrets } = memorySettings(config, folder)
  const border = await hideFor(secrets, run_id)
  const { base, leftOut } = await keepBase({
    ...{ project, folder, store, border, fromGit: options.fromGit ?? false },
  })
  for (const [path, why] of leftOut) front.note(`Workers do not get ${path} (${why}).`)
  const possible = jobs.filter(({ target }) => !leftOut.has(target.file_path))
  if (possible.length === 0)
    throw new TwotrackError('missing', 'Workers get none of these files, so nothing was put into the queue.')
  await recordPlan(environment, run_id, possible)
  const name = await queue.putBase(base)
  const model = loaded.config.model.adapter
  const { context, maxTurns: turns_max, hub = true, builtIn: built_in = false } = options
  const needs = [`model:${model}`, ...(options.fromGit ? [GIT_CLONE] : []), ...(options.needs ?? [])]
  const tasks = possible.map(({ agent, agent_id, target, isNamed: is_named = false, priority = 0 }) => ({
    ...{ agent_id, run_id, agent: agent.operation, node_id: target.node.id, file_path: target.file_path },
    ...{ base: name, model, is_named, built_in, hub, priority, needs },
    ...defined({ context, turns_max }),
  }))
  await queue.submit(tasks)
  return tasks.length
}

/** Watches the jobs of a run until nothing more becomes of them, or nobody looks any more; the run goes on without. */
export async function watchQueued(
  queue: Queue,
  run_id: string,
  { watcher, signal }: { readonly watcher: RunWatcher; readonly signal: AbortSignal },
): Promise<Pick<RunResult, 'stopped'>> {
  const begun = new Set<string>()
  const ended = new Set<string>()
  const untakenAt = Date.now() + UNTAKEN_MS
  let isUntakenTold = false
  let since: string | undefined
  while (!signal.aborted) {
    const [run] = await queue.runs({ run_id })
    if (!run) throw new TwotrackError('missing', `There are no jobs of ${run_id} in the queue.`)
    const isUntaken = Object.keys(run.counts).every((is) => is === 'waiting')
    if (isUntaken && !isUntakenTold && Date.now() > untakenAt) {
      isUntakenTold = true
      watcher.tell(await whyUntaken(queue, run_id))
    }
    for await (const job of queue.list({ run_id, ...defined({ since }) })) {
      const { agent_id, agent, node_id } = job.task
      since = since === undefined || job.changed > since ? job.changed : since
      const isSeen = begun.has(agent_id)
      if (job.state.is === 'taken' && !isSeen) watcher.begin(agent_id, `${agent} ${node_id}`)
      if (job.state.is === 'taken') begun.add(agent_id)
      if (!isOver(job.state) || ended.has(agent_id)) continue
      ended.add(agent_id)
      const result = resultSchema.safeParse(job.result).data
      if (result?.stop.reason === 'nothing_to_do') watcher.skip()
      else watcher.end(agent_id, result?.failed ?? true)
    }
    if (!run.counts.waiting && !run.counts.taken) return {}
    if (since !== undefined) since = new Date(Date.parse(since) - OVERLAP_MS).toISOString()
    await sleep(LOOK_MS, undefined, { signal }).catch(() => {})
  }
  return { stopped: 'interrupted' }
}

async function whyUntaken(queue: Queue, run_id: string): Promise<string> {
  if (await queue.isPaused())
    return 'The queue is paused: no worker is given a job until "twotrack queue resume".'
  for await (const { task } of queue.list({ run_id }))
    return `No worker has taken a job yet. It must be a "twotrack worker" with ${task.needs.join(', ')}.`
  return 'No worker has taken a job yet.'
}

/** What the jobs of a run came to, in their order, as `run` would say it here; those that did not end are absent. */
export async function doneOf(
  queue: Queue,
  run_id: string,
  { store, root: project }: Pick<Project, 'root'> & { readonly store: Store },
): Promise<{ readonly done: Done[]; readonly wanted: number }> {
  const jobs: QueuedJob[] = []
  for await (const job of queue.list({ run_id })) jobs.push(job)
  const done = await atOnce(jobs, LOGS_AT_ONCE, async ({ task, state, result }) => {
    const { agent_id, agent: operation, node_id } = task
    const names = { agent_id, operation, node_id }
    // One that no worker did to its end may have a log that ends somewhere.
    if (state.is === 'set_aside') return notDone(names, state.error, 'failed')
    if (state.is === 'cancelled') return notDone(names, 'The job was cancelled.', 'cancelled')
    const told = state.is === 'done' ? resultSchema.safeParse(result).data : undefined
    if (!told) return undefined
    const { pending } = told.changed > 0 ? await readProposal(store, agent_id) : { pending: new Map() }
    const changes = await changesOf({ store, project, agentId: agent_id }, pending)
    const { changed: _, ...rest } = told
    return { ...names, ...rest, changes } as Done // what a worker of this program wrote
  })
  return { done: done.filter((one) => one !== undefined), wanted: jobs.length }
}

/** What stands in the queue: how many jobs of each run, and those that a person has to look at. */
export async function lookAtQueue(queue: Queue, filter: JobFilter, most: number) {
  const runs = await queue.runs(filter)
  const jobs: QueuedJob[] = []
  for await (const job of queue.list({ is: ['taken', 'set_aside'], ...filter })) {
    if (jobs.length === most) break
    jobs.push(job)
  }
  return { paused: await queue.isPaused(), runs, jobs }
}
