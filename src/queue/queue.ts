import { z } from 'zod'
import type { Lease } from '../core/store/engine.ts'
import type { Base } from '../workspace/base.ts'
import type { JobState } from './job.ts'

/** What is stored of a job beside its state: what to do, of which run, and what a worker needs to be able to do it. */
export const taskSchema = z.strictObject({
  agent_id: z.string(),
  run_id: z.string(),
  agent: z.string(),
  node_id: z.string(),
  file_path: z.string(),
  /** The project that it is about, as `putBase` named it. */
  base: z.string(),
  /** Who chooses: an adapter of models, as its workers have it. */
  model: z.string(),
  /** Somebody asked for this very node. */
  is_named: z.boolean(),
  /** The built-in agent, though the project has one of its name. */
  built_in: z.boolean(),
  context: z.enum(['packet', 'messages', 'both']).optional(),
  turns_max: z.int().positive().optional(),
  hub: z.boolean(),
  /** Tags that a worker must have, all of them: `model:first-candidate`, `ruff`. */
  needs: z.array(z.string()),
  /** Higher goes first. */
  priority: z.int(),
})
export type Task = z.infer<typeof taskSchema>

/** A job that this worker has: the lease is that of the agent's log, and ends with the job. */
export interface TakenJob {
  readonly task: Task
  readonly lease: Lease
  /** How often it failed before. */
  readonly failed: number
}

export interface QueuedJob {
  /** Its place: what was submitted later has a higher one. */
  readonly place: number
  readonly task: Task
  readonly state: JobState
  /** When its state changed last. */
  readonly changed: string
  /** What came of it, as its worker told it. */
  readonly result?: unknown
}

export interface JobFilter {
  readonly run_id?: string
  readonly agent_id?: string
  readonly is?: readonly JobState['is'][]
  /** Only those whose state changed at this time or later. */
  readonly since?: string
}

export interface RunCounts {
  readonly run_id: string
  readonly counts: Readonly<Partial<Record<JobState['is'], number>>>
}

/** Jobs that workers on any machine take. What each becomes is decided by `nextState`. */
export interface Queue {
  /** Keeps a project's files (`keepBase`) under a name that follows from them, until no job names it. */
  putBase(base: Base): Promise<string>
  readBase(name: string): Promise<Base>
  /** Adds what is not there yet. */
  submit(tasks: readonly Task[]): Promise<void>
  /**
   * The next job that a worker with these tags can do, with the lease of its log; undefined where there is none now, `later`
   * where there are only jobs that failed and wait before they are tried again.
   */
  take(worker: string, tags: readonly string[]): Promise<TakenJob | 'later' | undefined>
  /** Each in one transaction with the check of the lease; false where that went to another. Then the lease ends. */
  end(job: TakenJob, result: unknown): Promise<boolean>
  fail(job: TakenJob, error: string): Promise<boolean>
  giveBack(job: TakenJob): Promise<boolean>
  /** Of these jobs those that are no longer this worker's, and why. */
  lost(jobs: readonly TakenJob[]): Promise<ReadonlyMap<TakenJob, 'cancelled' | 'elsewhere'>>
  /** In the order in which they were submitted, page by page. */
  list(filter: JobFilter): AsyncIterable<QueuedJob>
  /** Of each run, newest first. */
  runs(filter?: Pick<JobFilter, 'run_id'>): Promise<RunCounts[]>
  /** Whether nobody is given a job now. */
  isPaused(): Promise<boolean>
  pause(paused: boolean): Promise<void>
  /** How many jobs it was done to. */
  cancel(filter: JobFilter): Promise<number>
  /** Lets jobs that were set aside be taken again. */
  retry(filter: JobFilter): Promise<number>
  /** Forgets jobs of which nothing more becomes; their logs stay. */
  forget(filter: JobFilter): Promise<number>
}
