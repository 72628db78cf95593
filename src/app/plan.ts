import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { tryParse } from '../core/event/json.ts'
import { encodeId } from '../core/store/encode-id.ts'
import { makeFolder } from '../files/disk.ts'
import type { Job } from './job.ts'
import type { RunBegun } from './names.ts'

const planSchema = z.strictObject({
  v: z.literal(1),
  run_id: z.string(),
  agents: z.array(
    z.strictObject({
      agent_id: z.string(),
      agent: z.string(),
      node_id: z.string(),
      file_path: z.string(),
    }),
  ),
})
/** What a run was to do: the agents that have not begun have no log that says so. */
export type Planned = z.infer<typeof planSchema>['agents'][number]

const fileOf = (folder: string, runId: string): string => join(folder, 'runs', `${encodeId(runId)}.json`)

/** Kept while the run has agents that did not begin, for `resume --run`. */
export async function savePlan(folder: string, run_id: string, jobs: readonly Job[]): Promise<void> {
  const agents = jobs.map(({ agent, agent_id, target }) => ({
    agent_id,
    agent: agent.operation,
    node_id: target.node.id,
    file_path: target.file_path,
  }))
  const file = fileOf(folder, run_id)
  makeFolder(dirname(file))
  await writeFile(file, JSON.stringify({ v: 1, run_id, agents } satisfies z.infer<typeof planSchema>))
}

export const dropPlan = (folder: string, runId: string): Promise<void> =>
  rm(fileOf(folder, runId), { force: true })

/** Runs that have agents which did not begin, and when they were to begin; oldest first. */
export async function plannedRuns(folder: string): Promise<RunBegun[]> {
  const home = join(folder, 'runs')
  const names = await readdir(home).catch(() => [])
  const runs = await Promise.all(
    names.map(async (name) => {
      const file = join(home, name)
      const run_id = planSchema.safeParse(tryParse(await readFile(file, 'utf8').catch(() => ''))).data?.run_id
      const saved = await stat(file).catch(() => undefined)
      return run_id && saved ? [{ run_id, created: saved.mtime.toISOString() }] : []
    }),
  )
  return runs.flat().sort((a, b) => (a.created < b.created ? -1 : 1))
}

/** Empty when all agents of the run have begun. */
export async function readPlan(folder: string, runId: string): Promise<readonly Planned[]> {
  const text = await readFile(fileOf(folder, runId), 'utf8').catch(() => '')
  return planSchema.safeParse(tryParse(text)).data?.agents ?? []
}
