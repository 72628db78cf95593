import type { RunOptions } from '../app/environment.ts'
import { type Done, isFinished, type Job } from '../app/job.ts'
import { doneOf, type QueueOptions, submitJobs, watchQueued, withQueue } from '../app/queue.ts'
import { assertAnswers, type RunResult, type RunStart, runJobs, startRun } from '../app/run-jobs.ts'
import { terminal } from './front.ts'
import type { CommonOptions } from './options.ts'
import { type CommandAnswer, count, type Lines, paint, printLines, remark, safe, self } from './output.ts'
import { progressOf } from './progress.ts'
import { runLines, sameStore } from './run-lines.ts'
import { approveAt } from './terminal.ts'

/** Makes jobs, runs them and says what came of them. */
export const performRun = (
  options: RunOptions &
    CommonOptions &
    QueueOptions & { readonly inspect?: boolean; readonly queue?: boolean },
  jobsOf: (start: RunStart) => Promise<readonly Job[]>,
): Promise<CommandAnswer> =>
  startRun(options, terminal, async (start) => {
    const jobs = await jobsOf(start)
    if (jobs.length === 0) return { json: [], lines: () => [] }
    if (options.queue) return runQueued(start, jobs, options)
    await assertAnswers(start, jobs.length)
    const page = options.inspect ? await openPage(start) : undefined
    const { done } = await runWatched(start, jobs, options)
    const lines = await runLines(done, jobs.length, options, start.store)
    await page?.closed(options.json ? [] : lines)
    const left = page && !options.json ? [] : lines
    return { json: done, lines: () => left, code: exitCode(done, jobs.length, options.failOn) }
  })

/** The same by workers. */
const runQueued = (
  start: RunStart,
  jobs: readonly Job[],
  options: RunOptions & CommonOptions & QueueOptions,
): Promise<CommandAnswer> =>
  withQueue(start.loaded, async (queue) => {
    const { run_id } = start.environment
    const queued = await submitJobs(queue, start, jobs, options)
    remark(`${count(queued, 'job')} of ${safe(run_id)} in the queue.`)
    return followQueued(queue, run_id, { ...start.environment, root: start.project }, queued, options)
  })

/** Watches a run that workers do, and says what came of it. Ctrl-C ends the watching alone. */
export async function followQueued(
  queue: Parameters<typeof doneOf>[0],
  run_id: string,
  place: Parameters<typeof doneOf>[2],
  wanted: number,
  options: CommonOptions & Pick<RunOptions, 'failOn'>,
): Promise<CommandAnswer> {
  const stop = new AbortController()
  const interrupt = () => (stop.signal.aborted ? process.exit(130) : stop.abort())
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupt)
  const watcher = progressOf(wanted)
  const there = sameStore(options)
  const goesOn = `The run goes on without you. Follow it: ${self} queue follow ${safe(run_id)}${there} · end it: ${self} queue cancel ${safe(run_id)}${there}`
  let stopped: RunResult['stopped']
  try {
    ;({ stopped } = await watchQueued(queue, run_id, { watcher, signal: stop.signal }))
    if (stopped) watcher.tell(goesOn)
  } catch (thrown) {
    // The database may be away for longer than this waits.
    watcher.tell(goesOn)
    throw thrown
  } finally {
    watcher.close()
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupt)
  }
  const { done } = await doneOf(queue, run_id, place)
  // What others go on with has not failed.
  const lines = await runLines(done, stopped ? done.length : wanted, options, place.store)
  return { json: done, lines: () => lines, code: exitCode(done, wanted, options.failOn) }
}

/** The page over a run while it goes on; it stays after its end until Ctrl-C, for there is more to look at then. */
async function openPage({ store, environment: { folder } }: RunStart) {
  const { serveInspector } = await import('../inspect/server.ts')
  const server = await serveInspector({ store, folder })
  remark(`Watch it: ${paint('bold', server.url)}`)
  return {
    async closed(lines: Lines) {
      printLines(lines)
      remark(paint('dim', 'The page stays open; Ctrl-C ends it.'))
      await new Promise((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve))
      await server.close()
    },
  }
}

/** Runs jobs with a progress view; Ctrl-C stops them cleanly, a second one at once. */
async function runWatched(
  { environment }: RunStart,
  jobs: readonly Job[],
  options: RunOptions,
): Promise<RunResult> {
  const stop = new AbortController()
  const interrupt = () => (stop.signal.aborted ? process.exit(130) : stop.abort(new Error('interrupted')))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupt)
  const watcher = progressOf(jobs.length)
  const approve = approveAt(watcher)
  const { concurrency } = options
  const own = {
    watcher,
    signal: stop.signal,
    ...(approve && { approve }),
    ...(concurrency && { concurrency }),
  }
  try {
    const result = await runJobs(environment, jobs, own)
    if (result.stopped && environment.store.kind !== 'memory') watcher.tell(howToGoOn(result, options))
    return result
  } finally {
    watcher.close()
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupt)
  }
}

function howToGoOn({ done, wanted, run_id, stopped }: RunResult, options: CommonOptions): string {
  const why =
    stopped === 'interrupted'
      ? 'Stopped.'
      : `The model gave agent after agent no answer, so ${wanted - done.length} others were not begun.`
  const isLeft = done.length < wanted || !done.every(isFinished)
  return isLeft ? `${why} Go on with: ${self} resume --run ${safe(run_id)}${sameStore(options)}` : why
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
  const isBad = ({ failed, problems }: Done) => failed || (failOn === 'problems' && problems > 0)
  return done.length < wanted || done.some(isBad) ? 1 : 0
}
