import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf, TwotrackError } from '../errors.ts'
import { makeFolder, namesIn } from '../files/disk.ts'
import { programFolders } from '../files/harmless-environment.ts'
import { holdFile, isHeld } from '../files/lock.ts'
import type { TakenJob } from '../queue/queue.ts'
import { readProposal } from '../run/proposal.ts'
import { GivenBack } from '../run/state.ts'
import { sharedPlace } from './context.ts'
import type { Front } from './front.ts'
import { configWithModel } from './model.ts'
import { GIT_CLONE, type JobResult, jobResultOf } from './queue.ts'
import { trustFor } from './trust.ts'
import { type WorkPlaceOptions, workPlaces } from './work-places.ts'

/** How often a worker without a job looks for one. */
const IDLE_MS = 400
/** How often it looks whether its jobs are still its own. */
const LOOK_MS = 1_000
/** How long it waits where the database is away, before it asks again. */
const AWAY_MS = 2_000
/** For so long it tries to tell what came of a job; then another worker finds it in the log. */
const TELL_MS_MAX = 300_000
/** So many agents in a row that got no answer from the model: the others would get none here either. */
const MODEL_FAILURES_MAX = 3
/** Programs that a job may need, told where they are on the PATH. */
const PROGRAMS = ['ruff', 'pytest', 'mypy', 'eslint', 'tsc', 'go', 'cargo', 'python3', 'git']

export interface WorkOptions extends WorkPlaceOptions {
  /** What else this worker can do. */
  readonly tags?: readonly string[]
  /** Ends when there is nothing that it can do now. */
  readonly drain?: boolean
}

/** What a worker does, as it does it. */
export interface WorkNote {
  readonly what: 'ready' | 'took' | 'done' | 'failed' | 'gave_back' | 'cancelled' | 'lost' | 'away' | 'ended'
  readonly text: string
  readonly agent_id?: string
}

export interface WorkControl {
  /** No new job is begun. */
  readonly finish: AbortSignal
  /** What is under way is given back: another worker goes on with it. */
  readonly giveBack: AbortSignal
  tell(note: WorkNote): void
}

/** Does jobs of the queue until it is told to end. Gives how many of them it finished, and how many failed. */
export async function work(options: WorkOptions, front: Front, { finish, giveBack, tell }: WorkControl) {
  const loaded = configWithModel(options)
  await trustFor(loaded, options, front)
  const { adapter } = loaded.config.model
  const place = sharedPlace(loaded)
  const { concurrency = loaded.config.run.concurrency } = options
  const { openQueue } = await import('../queue/open.ts')
  const opened = openQueue({ ...place, connections: concurrency + 4 })
  const { queue, held } = opened
  const name = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`
  const home = await homeFor(resolve(loaded.root, loaded.config.runner.memory.folder), name)
  const set = [
    ...(options.set ?? []),
    'runner.memory.trace_store=postgres',
    `runner.memory.url=${place.url}`,
    `runner.memory.project=${place.project}`,
  ]
  const places = workPlaces({ ...opened, home: home.path }, { ...options, set }, front)
  const clone = options.git === undefined ? [] : [GIT_CLONE]
  const tags = [
    ...new Set([
      'model:first-candidate',
      `model:${adapter}`,
      ...clone,
      ...programs(),
      ...(options.tags ?? []),
    ]),
  ]
  const running = new Map<TakenJob, { readonly stop: AbortController; readonly ended: Promise<void> }>()
  const counts = { done: 0, failed: 0, cancelled: 0, given_back: 0, lost: 0 }
  const enough = new AbortController()
  const over = AbortSignal.any([finish, giveBack, enough.signal])
  let unanswered = 0

  const say = (what: WorkNote['what'], text: string, agent_id?: string) =>
    tell({ what, text, ...(agent_id === undefined ? {} : { agent_id }) })

  /** What came of a job is written as soon as the database is there. */
  const told = async (write: () => Promise<boolean>): Promise<boolean> => {
    for (const until = Date.now() + TELL_MS_MAX; ; await sleep(AWAY_MS))
      try {
        return await write()
      } catch (thrown) {
        if (!isAway(thrown) || Date.now() > until) throw thrown
        say('away', messageOf(thrown))
      }
  }

  const end = async (job: TakenJob, result: JobResult) => {
    const { agent_id } = job.task
    unanswered = result.stop.reason === 'model_failed' ? unanswered + 1 : 0
    if (unanswered >= MODEL_FAILURES_MAX) enough.abort()
    if (!(await told(() => queue.end(job, result)))) return lost(agent_id)
    const what = result.stop.reason === 'cancelled' ? 'cancelled' : result.failed ? 'failed' : 'done'
    counts[what]++
    say(what, result.stop.summary, agent_id)
  }
  const lost = (agent_id: string) => {
    counts.lost++
    say(
      'lost',
      'Another worker has it: this one was not heard of for too long. Nothing more is written.',
      agent_id,
    )
  }

  const doing = async (job: TakenJob, signal: AbortSignal): Promise<void> => {
    const { task } = job
    const { agent_id } = task
    held.set(agent_id, job)
    try {
      const found = await endedResult(opened.store, agent_id)
      const result = found ?? jobResultOf(await places.work(task, signal))
      if (signal.reason instanceof GivenBack) {
        if (!(await told(() => queue.giveBack(job)))) return lost(agent_id)
        counts.given_back++
        return say('gave_back', signal.reason.message, agent_id)
      }
      await end(job, result)
    } catch (thrown) {
      const message = messageOf(thrown)
      if (!(await told(() => queue.fail(job, message)))) return lost(agent_id)
      counts.failed++
      say('failed', message, agent_id)
    } finally {
      held.delete(agent_id)
    }
  }

  const begin = (job: TakenJob) => {
    const { agent_id, agent, node_id } = job.task
    const stop = new AbortController()
    const again = job.failed > 0 ? `, after ${job.failed} failures` : ''
    say('took', `${agent} ${node_id}${again}`, agent_id)
    const ended = doing(job, stop.signal)
      // It can't even be told: who takes it next finds in its log what came of it.
      .catch(async (thrown: unknown) => {
        await job.lease.release()
        say('lost', messageOf(thrown), agent_id)
      })
      .finally(() => running.delete(job))
    running.set(job, { stop, ended })
  }

  /** Stops agents whose job was cancelled, or went to another worker. */
  const look = async () => {
    const gone = await queue.lost([...running.keys()])
    for (const [job, why] of gone) {
      const reason =
        why === 'cancelled' ? new Error('the job was cancelled') : new GivenBack('another worker has it')
      running.get(job)?.stop.abort(reason)
    }
  }
  let looking = Promise.resolve()
  const timer = setInterval(() => {
    looking = looking.then(look).catch(() => {})
  }, LOOK_MS)

  const stopAll = () => {
    for (const { stop } of running.values())
      stop.abort(new GivenBack('This worker ends; another goes on with it.'))
  }
  giveBack.addEventListener('abort', stopAll)
  try {
    say(
      'ready',
      `${name} takes up to ${concurrency} jobs at once of ${place.project}; tags: ${tags.join(', ')}`,
    )
    while (!over.aborted) {
      if (running.size >= concurrency) {
        await Promise.race([...running.values()].map(({ ended }) => ended))
        continue
      }
      const job = await queue.take(name, tags).catch((thrown: unknown) => {
        if (!isAway(thrown)) throw thrown
        say('away', messageOf(thrown))
        return sleep(AWAY_MS, undefined, { signal: over }).catch(() => undefined)
      })
      if (typeof job === 'object') begin(job)
      else if (job === undefined && options.drain && running.size === 0) break
      else await sleep(IDLE_MS, undefined, { signal: over }).catch(() => {})
    }
    if (giveBack.aborted) stopAll()
    await Promise.all([...running.values()].map(({ ended }) => ended))
    if (enough.signal.aborted)
      say('ended', `${adapter} gave agent after agent no answer: this worker takes no more jobs.`)
    return { worker: name, ...counts, unanswered: enough.signal.aborted }
  } finally {
    clearInterval(timer)
    giveBack.removeEventListener('abort', stopAll)
    await looking
    await places.close()
    await opened.close()
    await home.remove()
  }
}

const isAway = (thrown: unknown): boolean => thrown instanceof TwotrackError && thrown.code === 'io'

const programs = (): string[] => {
  const folders = programFolders(process.env)
  return PROGRAMS.filter((name) => folders.some((folder) => existsSync(join(folder, name))))
}

/**
 * What the log says of an agent that has ended: the worker that did it was gone before it could say so. It does not go on,
 * or it would end twice.
 */
async function endedResult(
  store: Parameters<typeof readProposal>[0],
  agentId: string,
): Promise<JobResult | undefined> {
  if (!(await store.head(agentId))) return undefined
  const { pending, agent } = await readProposal(store, agentId)
  const { reason, summary, standing, outcome, claim, turns, events, raw_bytes, problems } = agent
  if (reason === undefined) return undefined
  const { prompt_tokens, prompt_tokens_max } = agent
  return {
    ...{
      stop: { reason, summary },
      standing,
      failed: outcome !== 'done',
      turns,
      events,
      raw_bytes,
      problems,
    },
    ...{ prompt_tokens, prompt_tokens_max, open: [], changed: pending.size },
    ...(claim === undefined ? {} : { claim }),
  }
}

/** A folder of this worker's own; those of workers that were killed go. */
async function homeFor(records: string, name: string) {
  const all = join(records, 'workers')
  makeFolder(all)
  for (const file of (await namesIn(all)).filter(
    (one) => /^[\w.-]+\.held$/.test(one) && !isHeld(join(all, one)),
  )) {
    await rm(join(all, file.slice(0, -'.held'.length)), { recursive: true, force: true })
    await rm(join(all, file), { force: true })
  }
  const own = holdFile(join(all, `${name}.held`))
  const path = join(all, name)
  await mkdir(path)
  return {
    path,
    async remove() {
      await rm(path, { recursive: true, force: true })
      own?.release()
    },
  }
}
