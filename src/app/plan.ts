import { z } from 'zod'
import { defined } from '../core/event/json.ts'
import { fieldOf } from '../core/memory/blobs.ts'
import { RUNS } from '../core/store/log-entry.ts'
import type { Store } from '../core/store/store.ts'
import { git } from '../files/git.ts'
import { readRun, recordInRun } from '../run/run-log.ts'
import { type Done, isNeedless, type Job } from './job.ts'
import type { RunBegun } from './names.ts'
import { personName } from './person.ts'

const agentsSchema = z.array(
  z.strictObject({ agent_id: z.string(), agent: z.string(), node_id: z.string(), file_path: z.string() }),
)
/** What an agent of a run is to be begun as: one that has not begun has no log that says so. */
export type Planned = z.infer<typeof agentsSchema>[number]

/** What a run was to do. */
export interface Plan {
  /** Those that have to begin, or have begun: all but those for which there is nothing to do. */
  readonly agents: readonly Planned[]
  /** The commit that the project was at, where git says one. */
  readonly commit?: string
}

/** Records what a run is to do, unless that is planned already. */
export async function recordPlan(
  { store, project }: { readonly store: Store; readonly project: string },
  runId: string,
  jobs: readonly Job[],
): Promise<void> {
  const known = new Set((await planOf(store, runId)).agents.map(({ agent_id }) => agent_id))
  if (jobs.every(({ agent_id }) => known.has(agent_id))) return
  const agents = jobs
    .filter(({ agent_id }) => !known.has(agent_id))
    .map(({ agent, agent_id, target }) => ({
      agent_id,
      agent: agent.operation,
      node_id: target.node.id,
      file_path: target.file_path,
    }))
  const data = { by: personName(), agents: agents.length, ...defined({ commit: await commitOf(project) }) }
  await recordInRun(store, runId, { type: 'run_plan', data, raw: { agents } })
}

/** Records which planned agents never begin. */
export async function recordSkipped(store: Store, runId: string, done: readonly Done[]): Promise<void> {
  const skipped = done.filter(isNeedless).map(({ agent_id }) => agent_id)
  if (skipped.length > 0)
    await recordInRun(store, runId, {
      type: 'run_done',
      data: { skipped: skipped.length },
      raw: { skipped },
    })
}

/** The commit that a project is at; undefined outside git. */
export async function commitOf(project: string): Promise<string | undefined> {
  const answer = await git(project, ['rev-parse', '--verify', '--quiet', 'HEAD'])
  return answer?.code === 0 ? answer.stdout.toString().trim() : undefined
}

/** What a run was to do; no agents where nothing was planned, or where that was taken out. */
export async function planOf(store: Store, runId: string): Promise<Plan> {
  const agents = new Map<string, Planned>()
  let commit: string | undefined
  for await (const event of readRun(store, runId)) {
    if (event.type === 'run_plan') {
      commit ??= event.data.commit
      const listed = agentsSchema.safeParse(await fieldOf(store, event, 'agents')).data ?? []
      for (const one of listed) agents.set(one.agent_id, one)
    }
    if (event.type === 'run_done')
      for (const id of z.array(z.string()).safeParse(await fieldOf(store, event, 'skipped')).data ?? [])
        agents.delete(id)
  }
  return { agents: [...agents.values()], ...defined({ commit }) }
}

/** The run that was planned last, which may have no agent yet. */
export async function newestPlanned(store: Store): Promise<RunBegun | undefined> {
  return (await store.newest({ operation: RUNS }, { limit: 1 }))[0]
}
