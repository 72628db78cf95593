import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { defined } from '../core/event/json.ts'
import type { Store } from '../core/store/store.ts'
import type { Queue, Task } from '../queue/queue.ts'
import { layOut } from '../workspace/base.ts'
import { jobOf } from './begun.ts'
import type { RunOptions } from './environment.ts'
import type { Front } from './front.ts'
import { type Done, needless, runJob } from './job.ts'
import { configWithModel } from './model.ts'
import { openRun, sharing } from './run-jobs.ts'

/** Projects that a worker keeps laid out, besides those that its agents are at work in. */
const PLACES_MAX = 3

export interface WorkPlaceOptions extends RunOptions {
  /** A clone of the project's repository, for files that are not stored. */
  readonly git?: string
}

/** Where a worker does its jobs: each project as it was when its run was submitted, laid out once. */
export function workPlaces(
  { queue, store, home }: { readonly queue: Queue; readonly store: Store; readonly home: string },
  options: WorkPlaceOptions,
  front: Front,
) {
  const stop = new AbortController()
  const places = new Map<string, { readonly made: ReturnType<typeof make>; users: number }>()

  const make = async ({ base, model }: Task) => {
    const project = join(home, 'projects', base.slice(0, 32))
    await layOut(await queue.readBase(base), store, project, options.git)
    const set = [...(options.set ?? []), `runner.memory.folder=${join(home, 'records')}`]
    const { model: own, ...rest } = options
    const asOwn =
      model === 'first-candidate'
        ? { set: [...set, 'model.adapter=first-candidate'] }
        : { set, ...defined({ model: own }) }
    const { start, close } = await openRun(
      configWithModel({ ...rest, ...asOwn }, project),
      rest,
      front,
      store,
    )
    const side = sharing(start.environment, [], { signal: stop.signal, tell: (line) => front.note(line) })
    return { start, project, side, close }
  }

  const remove = async (key: string) => {
    const place = places.get(key)
    places.delete(key)
    const made = await place?.made.catch(() => undefined)
    if (!made) return
    await made.side.close()
    await made.close()
    if (![...places.keys()].some((other) => other.startsWith(key.split(' ')[0] ?? '')))
      await rm(made.project, { recursive: true, force: true })
  }

  /** Somebody may clear a worker's folder; each job that is taken then would fail. */
  const isGone = async (key: string): Promise<boolean> => {
    const made = await places.get(key)?.made.catch(() => undefined)
    return made !== undefined && !existsSync(made.project)
  }

  return {
    /** Runs the agent of a job, or goes on with it where another worker stopped. */
    async work(task: Task, signal: AbortSignal): Promise<Done> {
      const key = `${task.base} ${task.model}`
      if (await isGone(key)) await remove(key)
      const place = places.get(key) ?? { made: make(task), users: 0 }
      places.delete(key)
      places.set(key, place)
      place.users++
      try {
        const { start, side } = await place.made
        const { agent_id, run_id, context, turns_max, is_named, priority, built_in } = task
        const found = await jobOf(task, start, { ...options, builtIn: built_in })
        const job = { ...found, agent_id, run_id, isNamed: is_named, priority }
        const { hub, ...others } = side.own
        const environment = { ...others, ...defined({ context, turns_max, hub: task.hub ? hub : undefined }) }
        const isBegun = (await store.head(agent_id)) !== undefined
        return (
          (isBegun ? undefined : await needless(environment, job, signal)) ??
          (await runJob(environment, job, signal))
        )
      } catch (thrown) {
        // What could not be made is tried again for the next job.
        if (place.users === 1) await place.made.catch(() => places.delete(key))
        throw thrown
      } finally {
        place.users--
        const unused = [...places].filter(([, { users }]) => users === 0).map(([name]) => name)
        for (const name of unused.slice(0, Math.max(0, unused.length - PLACES_MAX))) await remove(name)
      }
    },
    async close() {
      stop.abort()
      for (const key of [...places.keys()]) await remove(key)
    },
  }
}
