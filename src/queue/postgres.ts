import { z } from 'zod'
import { tryParse } from '../core/event/json.ts'
import { encodeId } from '../core/store/encode-id.ts'
import type { Lease } from '../core/store/engine.ts'
import { TwotrackError, undefinedIf } from '../errors.ts'
import { sha256 } from '../sha256.ts'
import type { Connections } from '../store/postgres/connections.ts'
import type { DatabaseSession, QueryRow } from '../store/postgres/session.ts'
import { baseSchema } from '../workspace/base.ts'
import { type JobMove, type JobState, nextState, RETRY_PAUSE_S, RETRY_PAUSE_S_MAX } from './job.ts'
import {
  type JobFilter,
  type Queue,
  type QueuedJob,
  type RunCounts,
  type TakenJob,
  taskSchema,
} from './queue.ts'

/** Jobs in one statement. */
const PAGE_JOBS = 1_000

const failed = z.int().nonnegative()
const stateSchema: z.ZodType<JobState> = z.discriminatedUnion('is', [
  z.strictObject({ is: z.literal('waiting'), failed, error: z.string().optional() }),
  z.strictObject({ is: z.literal('taken'), failed, worker: z.string(), generation: z.int() }),
  z.strictObject({ is: z.literal('done') }),
  z.strictObject({ is: z.literal('set_aside'), failed, error: z.string() }),
  z.strictObject({ is: z.literal('cancelled') }),
]) as z.ZodType<JobState>

const SUBMIT = `
  INSERT INTO job (agent, run, priority, needs, task, state)
  SELECT one->>'agent', one->>'run', (one->'task'->>'priority')::int,
    ARRAY(SELECT jsonb_array_elements_text(one->'task'->'needs')), one->'task', '{"is":"waiting","failed":0}'
  FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS all_jobs (one, n) ORDER BY n
  ON CONFLICT (agent) DO NOTHING`

/** Whether a job that failed waits before it is tried again. One that was given back did not fail. */
const WAITS = `coalesce(state->>'error' IS NOT NULL AND clock_timestamp() < changed
  + least(${RETRY_PAUSE_S} * power(2, (state->>'failed')::int - 1), ${RETRY_PAUSE_S_MAX}) * interval '1 s', false)`

/** A job of a worker that is gone is open once the lease of its log is over; one whose log somebody holds is not. */
const OPEN = `
  SELECT job.id, task::text, state::text FROM job LEFT JOIN log ON log.agent = job.agent
  WHERE is_open AND needs <@ $1::text[] AND (log.holder IS NULL OR log.until < clock_timestamp())
    AND job.id <> ALL ($2::bigint[]) AND NOT EXISTS (SELECT FROM queue WHERE paused)`
const CHOOSE = `${OPEN} AND NOT ${WAITS} ORDER BY priority DESC, job.id LIMIT 1 FOR UPDATE OF job SKIP LOCKED`
const LATER = `${OPEN} AND ${WAITS} LIMIT 1`

const CHANGE =
  'UPDATE job SET state = $2, result = coalesce($3, result), changed = clock_timestamp() WHERE id = $1'
const CHANGE_ALL = `
  UPDATE job SET state = one.state, changed = clock_timestamp()
  FROM jsonb_to_recordset($1) AS one (id bigint, state jsonb) WHERE job.id = one.id`

/** A job that is not there was cancelled, and forgotten since. */
const LOST = `
  SELECT n, coalesce(state->>'is', 'cancelled') = 'cancelled' AS cancelled
  FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS mine (agent, generation, n)
  LEFT JOIN job USING (agent) JOIN log USING (agent)
  WHERE log.generation <> mine.generation OR state->>'is' IS DISTINCT FROM 'taken'`

/** One that was just stored belongs to a run whose jobs are on their way. */
const FORGET_BASES = `
  DELETE FROM base WHERE made < clock_timestamp() - interval '1 day'
    AND NOT EXISTS (SELECT FROM job WHERE job.task->>'base' = base.name)`

/**
 * The queue in the database of the logs. `leaseOf` gives the lease of a log as its writer takes it: that is the only one
 * there is. A row is always locked before the lease of its log is looked at or taken.
 */
export function postgresQueue(connections: Connections, leaseOf: (agentId: string) => Promise<Lease>): Queue {
  /** A job of this worker becomes something else, if the worker still has it. */
  const finish = async ({ task, lease }: TakenJob, move: JobMove, result?: unknown): Promise<boolean> => {
    const agent = encodeId(task.agent_id)
    const isOurs = await connections.transaction(async (session) => {
      const [row] = await session.ask('SELECT id, state::text FROM job WHERE agent = $1 FOR UPDATE', [agent])
      const [log] = await session.ask('SELECT generation FROM log WHERE agent = $1 FOR SHARE', [agent])
      if (Number(log?.['generation']) !== lease.generation) return false
      const state = row && nextState(parsed(stateSchema, row['state']), move)
      // An earlier attempt was done, and its answer lost; or somebody cancelled the job, or forgot it then.
      if (state) await session.ask(CHANGE, [row['id'], JSON.stringify(state), jsonOf(result)])
      return true
    })
    await lease.release()
    return isOurs
  }

  /** Does the same to all jobs of a filter to which it applies. */
  const moveAll = async (filter: JobFilter, move: JobMove): Promise<number> => {
    let moved = 0
    for (let after = 0; ; ) {
      const page = await connections.transaction(async (session) => {
        const rows = await rowsOf(session, filter, after, 'FOR UPDATE')
        const changed = rows.flatMap(({ id, state }) => {
          const next = nextState(parsed(stateSchema, state), move)
          return next ? [{ id, state: next }] : []
        })
        await session.ask(CHANGE_ALL, [JSON.stringify(changed)])
        return { last: rows.at(-1)?.['id'], isLast: rows.length < PAGE_JOBS, changed: changed.length }
      })
      moved += page.changed
      if (page.isLast) return moved
      after = Number(page.last)
    }
  }

  return {
    async putBase(base) {
      const text = JSON.stringify(base)
      const name = sha256(text)
      await connections.ask(
        'INSERT INTO base (name, files) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET made = clock_timestamp()',
        [name, text],
      )
      return name
    },
    async readBase(name) {
      const [row] = await connections.ask('SELECT files::text FROM base WHERE name = $1', [name])
      if (row) return parsed(baseSchema, row['files'])
      throw new TwotrackError(
        'missing',
        `The project ${name} of a job is not in the store any more. Submit the run again.`,
      )
    },

    async submit(tasks) {
      for (let at = 0; at < tasks.length; at += PAGE_JOBS) {
        const page = tasks.slice(at, at + PAGE_JOBS)
        const rows = page.map((task) => ({
          agent: encodeId(task.agent_id),
          run: encodeId(task.run_id),
          task,
        }))
        await connections.ask(SUBMIT, [JSON.stringify(rows)])
      }
    },

    async take(worker, tags) {
      const tried: number[] = []
      for (;;) {
        let lease: Lease | undefined
        try {
          const found = await connections.transaction(async (session) => {
            // Of an attempt whose connection broke, which chose another job.
            await lease?.release()
            const [row] = await session.ask(CHOOSE, [[...tags], tried])
            if (!row) return (await session.ask(LATER, [[...tags], []]))[0] ? 'later' : 'none'
            tried.push(Number(row['id']))
            const task = parsed(taskSchema, row['task'])
            // A person may have gone on with the agent.
            lease = await undefinedIf(leaseOf(task.agent_id), 'locked')
            if (!lease) return 'again'
            const { generation } = lease
            const before = parsed(stateSchema, row['state'])
            const state = nextState(before, { do: 'take', worker, generation })
            if (state) await session.ask(CHANGE, [row['id'], JSON.stringify(state), null])
            return state?.is === 'taken' ? { task, lease, failed: state.failed } : 'again'
          })
          if (typeof found === 'object') return found
          await lease?.release()
          if (found !== 'again') return found === 'later' ? found : undefined
        } catch (thrown) {
          await lease?.release()
          throw thrown
        }
      }
    },

    end: (job, result) => finish(job, { do: 'end', generation: job.lease.generation }, result),
    fail: (job, error) => finish(job, { do: 'fail', generation: job.lease.generation, error }),
    giveBack: (job) => finish(job, { do: 'give_back', generation: job.lease.generation }),

    async lost(jobs) {
      if (jobs.length === 0) return new Map()
      const agents = jobs.map(({ task }) => encodeId(task.agent_id))
      const rows = await connections.ask(LOST, [agents, jobs.map(({ lease }) => lease.generation)])
      return new Map(
        rows.flatMap(({ n, cancelled }) => {
          const job = jobs[Number(n) - 1]
          return job ? [[job, cancelled === true ? 'cancelled' : 'elsewhere'] as const] : []
        }),
      )
    },

    async *list(filter) {
      for (let after = 0; ; ) {
        const rows = await rowsOf(connections, filter, after)
        yield* rows.map(queuedOf)
        if (rows.length < PAGE_JOBS) return
        after = Number(rows.at(-1)?.['id'])
      }
    },

    async runs(filter = {}) {
      const rows = await connections.ask(
        `SELECT max(task->>'run_id') AS run_id, state->>'is' AS state, count(*) AS jobs, max(id) AS newest
         FROM job WHERE $1::text IS NULL OR run = $1 GROUP BY run, state->>'is' ORDER BY newest DESC`,
        [filter.run_id === undefined ? null : encodeId(filter.run_id)],
      )
      const runs = new Map<string, RunCounts>()
      for (const { run_id, state, jobs } of rows) {
        const { counts } = runs.get(String(run_id)) ?? { counts: {} }
        runs.set(String(run_id), {
          run_id: String(run_id),
          counts: { ...counts, [String(state)]: Number(jobs) },
        })
      }
      return [...runs.values()]
    },

    async isPaused() {
      return (await connections.ask('SELECT paused FROM queue', []))[0]?.['paused'] === true
    },
    async pause(paused) {
      await connections.ask('UPDATE queue SET paused = $1', [paused])
    },
    cancel: (filter) => moveAll(filter, { do: 'cancel' }),
    retry: (filter) => moveAll(filter, { do: 'retry' }),

    async forget(filter) {
      let forgotten = 0
      for (;;) {
        const values: unknown[] = []
        const where = conditionsOf(filter, values)
        const rows = await connections.ask(
          `DELETE FROM job WHERE id IN (SELECT id FROM job WHERE NOT is_open${where} ORDER BY id LIMIT ${PAGE_JOBS}) RETURNING id`,
          values,
        )
        forgotten += rows.length
        if (rows.length === PAGE_JOBS) continue
        await connections.ask(FORGET_BASES, [])
        return forgotten
      }
    },
  }
}

/** What the filter says, for a statement that has a condition before it. */
function conditionsOf({ run_id, agent_id, is, since }: JobFilter, values: unknown[]): string {
  const run = run_id === undefined ? '' : ` AND run = $${values.push(encodeId(run_id))}`
  const agent = agent_id === undefined ? '' : ` AND agent = $${values.push(encodeId(agent_id))}`
  const after = since === undefined ? '' : ` AND changed >= $${values.push(since)}::timestamptz`
  return `${run}${agent}${after}${is ? ` AND state->>'is' = ANY ($${values.push([...is])}::text[])` : ''}`
}

function rowsOf(
  asking: Pick<DatabaseSession, 'ask'>,
  filter: JobFilter,
  after: number,
  how = '',
): Promise<QueryRow[]> {
  const values: unknown[] = [after]
  const where = conditionsOf(filter, values)
  const text = `SELECT id, task::text, state::text, result::text, changed FROM job WHERE id > $1${where} ORDER BY id LIMIT ${PAGE_JOBS} ${how}`
  return asking.ask(text, values)
}

const queuedOf = ({ id, task, state, result, changed }: QueryRow): QueuedJob => ({
  place: Number(id),
  task: parsed(taskSchema, task),
  state: parsed(stateSchema, state),
  changed: changed instanceof Date ? changed.toISOString() : String(changed),
  ...(typeof result === 'string' ? { result: tryParse(result) } : {}),
})

/** What another version of this program may have written. */
function parsed<T>(schema: z.ZodType<T>, text: unknown): T {
  const { data, error } = schema.safeParse(tryParse(String(text)))
  if (data !== undefined) return data
  const why = error ? z.prettifyError(error) : 'it is empty'
  throw new TwotrackError(
    'damaged',
    `A job of the queue can't be read: ${why}. Another version may have written it.`,
  )
}

const jsonOf = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value))
