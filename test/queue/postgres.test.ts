import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { JOB_ATTEMPTS_MAX, RETRY_PAUSE_S_MAX } from '../../src/queue/job.ts'
import { postgresQueue } from '../../src/queue/postgres.ts'
import type { JobFilter, Queue, QueuedJob, TakenJob, Task } from '../../src/queue/queue.ts'
import { connect } from '../../src/store/postgres/connections.ts'
import { schemaOf } from '../../src/store/postgres/migrations.ts'
import { postgresEngine } from '../../src/store/postgres/postgres.ts'
import { type PostgresServer, postgresServer } from '../postgres-server.ts'
import { cutting } from '../store/postgres/cut.ts'

const server = await postgresServer()
const isThere = typeof server !== 'string'
if (!isThere) console.warn(`skipped: the queue ${server}`)

/** A worker's queue, its connections and its leases; each test has a project of its own. */
function queueFor(project: string, { leaseMs = 10_000, url = (server as PostgresServer).url } = {}) {
  const engine = postgresEngine({ url, project, leaseMs })
  const connections = connect({ url, schema: schemaOf(project) })
  onTestFinished(async () => {
    await engine.close()
    await connections.close()
  })
  if (!engine.lease) throw new Error('no leases')
  const queue = postgresQueue(connections, engine.lease)
  return {
    ...{ queue, connections, engine },
    /** A job that is to be had now. */
    async take(worker: string, tags: readonly string[] = []): Promise<TakenJob | undefined> {
      const job = await queue.take(worker, tags)
      if (job === 'later') throw new Error('all jobs wait before they are tried again')
      return job
    },
    /** As if so many seconds had passed since anything became of a job. */
    passes: (seconds: number) =>
      connections.ask("UPDATE job SET changed = changed - $1 * interval '1 s'", [seconds]),
  }
}

const task = (n: number, more: Partial<Task> = {}): Task => ({
  ...{
    agent_id: `lint-${n}`,
    run_id: 'run-1',
    agent: 'lint',
    node_id: `src/${n}.py`,
    file_path: `src/${n}.py`,
  },
  ...{ is_named: false, built_in: false, hub: true, needs: [], priority: 0 },
  ...{ base: '0', model: 'first-candidate', ...more },
})
async function all(queue: Queue, filter: JobFilter = {}): Promise<QueuedJob[]> {
  const jobs: QueuedJob[] = []
  for await (const job of queue.list(filter)) jobs.push(job)
  return jobs
}

describe.skipIf(!isThere)('a queue in PostgreSQL', () => {
  let project = ''
  const fresh = () => {
    project = `p-${randomUUID()}`
    return queueFor(project)
  }
  afterAll(async () => {
    if (isThere) await server.dispose()
  })

  test('gives each job to one worker, in order, the higher priority first', async () => {
    const own = fresh()
    const { queue } = own
    await queue.submit([...Array.from({ length: 40 }, (_, n) => task(n)), task(99, { priority: 1 })])
    await queue.submit([task(3)])
    const workers = [own, queueFor(project), queueFor(project)]
    const taken = await Promise.all(
      workers.map(async ({ take, queue: its }, n) => {
        const ids: string[] = []
        for (let job = await take(`w${n}`); job; job = await take(`w${n}`)) {
          ids.push(job.task.agent_id)
          expect(await its.end(job, { n })).toBe(true)
        }
        return ids
      }),
    )
    expect(taken.flat().sort()).toEqual(
      [...Array.from({ length: 40 }, (_, n) => `lint-${n}`), 'lint-99'].sort(),
    )
    expect(taken.some(([first]) => first === 'lint-99')).toBe(true)
    expect((await all(queue)).every(({ state }) => state.is === 'done')).toBe(true)
    expect(await queue.runs()).toEqual([{ run_id: 'run-1', counts: { done: 41 } }])
    expect(await queue.forget({ run_id: 'run-1' })).toBe(41)
    expect(await queue.runs()).toEqual([])
  })

  test('asks for tags, and gives nothing while it is paused', async () => {
    const { queue } = fresh()
    await queue.submit([task(1, { needs: ['ruff', 'model:functiongemma'] })])
    expect(await queue.take('w', ['ruff'])).toBeUndefined()
    await queue.pause(true)
    expect(await queue.isPaused()).toBe(true)
    expect(await queue.take('w', ['ruff', 'model:functiongemma', 'more'])).toBeUndefined()
    await queue.pause(false)
    expect(await queue.take('w', ['ruff', 'model:functiongemma', 'more'])).toMatchObject({ failed: 0 })
  })

  test('a job has one lease, that of its log: who writes the log has the job, and the other way round', async () => {
    const { queue, engine, take } = fresh()
    await queue.submit([task(1), task(2)])
    const person = await engine.lease?.('lint-1')
    const job = await take('w')
    expect(job?.task.agent_id).toBe('lint-2')
    expect(await queue.take('w', [])).toBeUndefined()
    await expect(queueFor(project).engine.lease?.('lint-2')).rejects.toMatchObject({ code: 'locked' })
    await person?.release()
    expect((await take('w'))?.task.agent_id).toBe('lint-1')
  })

  test('a worker that was stopped is fenced: the other has the job, and what the first says changes nothing', async () => {
    const { queue, connections, take } = fresh()
    await queue.submit([task(1)])
    const old = await take('old')
    if (!old) throw new Error('no job')
    await connections.ask(`UPDATE log SET until = clock_timestamp() - interval '1 s'`, [])
    const { queue: other, take: takeOther } = queueFor(project)
    const taken = await takeOther('new')
    expect(taken).toMatchObject({ failed: 1 })
    expect(await queue.lost([old])).toEqual(new Map([[old, 'elsewhere']]))
    expect(await queue.end(old, 'old')).toBe(false)
    expect(await queue.fail(old, 'old')).toBe(false)
    expect((await all(queue))[0]?.state).toMatchObject({ is: 'taken', worker: 'new', failed: 1 })
    expect(taken && (await other.end(taken, 'new'))).toBe(true)
    expect((await all(queue))[0]).toMatchObject({ state: { is: 'done' }, result: 'new' })
  })

  test('sets aside what failed too often, with its error, until somebody lets it be tried again', async () => {
    const { queue, take, passes } = fresh()
    await queue.submit([task(1)])
    for (let n = 0; n < JOB_ATTEMPTS_MAX; n++) {
      const job = await take('w')
      expect(job && (await queue.fail(job, 'there is no ruff'))).toBe(true)
      await passes(RETRY_PAUSE_S_MAX)
    }
    expect(await queue.take('w', [])).toBeUndefined()
    const [aside] = await all(queue, { is: ['set_aside'] })
    expect(aside?.state).toEqual({ is: 'set_aside', failed: JOB_ATTEMPTS_MAX, error: 'there is no ruff' })
    expect(await queue.retry({ agent_id: 'lint-1' })).toBe(1)
    const again = await take('w')
    expect(again && (await queue.giveBack(again))).toBe(true)
    expect((await all(queue))[0]?.state).toEqual({ is: 'waiting', failed: 0 })
  })

  test('tries what failed again after a pause that grows, and others meanwhile', async () => {
    const { queue, take, passes } = fresh()
    await queue.submit([task(1)])
    for (const pause of [1, 2, 4]) {
      const job = await take('w')
      expect(job && (await queue.fail(job, 'the disk is full'))).toBe(true)
      await passes(-60)
      expect(await queue.take('w', [])).toBe('later')
      await passes(60 + pause)
    }
    await queue.submit([task(2)])
    expect(await take('w')).toMatchObject({ task: { agent_id: 'lint-1' } })
    expect(await take('w')).toMatchObject({ task: { agent_id: 'lint-2' } })
    expect(await queue.take('w', [])).toBeUndefined()
  })

  test('keeps no lease of a job that could not be written down as taken', async () => {
    const { queue, take } = fresh()
    await queue.submit([task(1), task(2)])
    let cuts = 0
    const { url } = server as PostgresServer
    const proxy = await cutting(new URL(url).searchParams.get('host') ?? '', (sent) =>
      sent.includes('UPDATE job SET state') && cuts++ === 0 ? 'before' : undefined,
    )
    onTestFinished(proxy.close)
    const cutOff = queueFor(project, { url: proxy.url })
    expect((await cutOff.take('cut off'))?.task.agent_id).toBe('lint-2')
    expect(cuts).toBeGreaterThan(1)
    expect((await take('other'))?.task.agent_id).toBe('lint-1')
  })

  test('tells the worker of a cancelled job also where the job was forgotten meanwhile', async () => {
    const { queue, take } = fresh()
    await queue.submit([task(1)])
    const job = await take('w')
    if (!job) throw new Error('no job')
    await queue.cancel({ agent_id: 'lint-1' })
    await queue.forget({ agent_id: 'lint-1' })
    expect(await queue.lost([job])).toEqual(new Map([[job, 'cancelled']]))
  })

  test('cancels what has not ended, of a run in pages; its worker is told', async () => {
    const { queue, take } = fresh()
    await queue.submit(
      Array.from({ length: 2_500 }, (_, n) => task(n, { run_id: n === 0 ? 'run-0' : 'run-1' })),
    )
    const mine = await take('w')
    const other = await take('w')
    if (!mine || !other) throw new Error('no jobs')
    expect(await queue.cancel({ run_id: 'run-1' })).toBe(2_499)
    expect(await queue.lost([mine, other])).toEqual(new Map([[other, 'cancelled']]))
    expect(await queue.end(other, 'too late')).toBe(true)
    expect(await queue.take('w', [])).toBeUndefined()
    expect(await queue.runs({ run_id: 'run-1' })).toEqual([{ run_id: 'run-1', counts: { cancelled: 2_499 } }])
  })
})
