import { inQueue, lookAtQueue, sharedStore } from '../../app/queue.ts'
import { TwotrackError } from '../../errors.ts'
import type { JobFilter } from '../../queue/queue.ts'
import type { CommandWords } from '../command.ts'
import type { CommonOptions } from '../options.ts'
import { count, type Found, paint, self, table } from '../output.ts'
import { followQueued } from '../perform-run.ts'

interface QueueCommandOptions extends CommonOptions {
  readonly failOn?: 'never' | 'problems' | 'failures'
  readonly all?: boolean
}

const SHOWN_MAX = 100
const STATES = ['waiting', 'taken', 'done', 'set_aside', 'cancelled'] as const

/** Everything about the queue as a whole, a run in it, or one job. */
const queueCommand = (
  action: string | undefined,
  which: string | undefined,
  options: QueueCommandOptions,
): Promise<Found> =>
  inQueue(options, async (queue, project) => {
    const filter = await filterOf(which)
    const changed = (jobs: number, what: string): Found => ({
      json: { action, jobs },
      lines: () => [`${count(jobs, 'job')} ${what}.`],
    })
    switch (action) {
      case undefined:
      case 'show':
        return shown(await lookAtQueue(queue, filter, SHOWN_MAX))
      case 'pause':
      case 'resume':
        await queue.pause(action === 'pause')
        return {
          json: { paused: action === 'pause' },
          lines: () => [
            action === 'pause'
              ? 'Paused: no worker is given a job until "queue resume". Jobs under way end.'
              : 'Workers are given jobs again.',
          ],
        }
      case 'cancel':
        return changed(await queue.cancel(asked(filter, options)), 'cancelled; workers stop those under way')
      case 'retry':
        return changed(await queue.retry(filter), 'to be tried again')
      case 'forget':
        return changed(await queue.forget(asked(filter, options)), 'forgotten; their logs stay')
      case 'follow': {
        const [run] = await queue.runs(filter)
        if (!run) throw missing(which)
        const wanted = Object.values(run.counts).reduce((sum, jobs) => sum + jobs, 0)
        return sharedStore(project, (store) =>
          followQueued(queue, run.run_id, { ...project, store }, wanted, options),
        )
      }
      default:
        throw new TwotrackError(
          'bad_argument',
          `There is no "queue ${action}": show, pause, resume, follow, cancel, retry, forget.`,
        )
    }

    /** A run or an agent, by its whole name. */
    async function filterOf(name: string | undefined): Promise<JobFilter> {
      if (name === undefined) return {}
      if ((await queue.runs({ run_id: name })).length > 0) return { run_id: name }
      for await (const { task } of queue.list({ agent_id: name })) return { agent_id: task.agent_id }
      throw missing(name)
    }
  })

const missing = (name: string | undefined) =>
  new TwotrackError(
    'missing',
    name === undefined
      ? 'The queue is empty.'
      : `There is no run and no agent "${name}" in the queue. "twotrack queue" shows what there is.`,
  )

/** What can't be taken back is not done to all without a word. */
function asked(filter: JobFilter, { all }: QueueCommandOptions): JobFilter {
  if (all || Object.keys(filter).length > 0) return filter
  throw new TwotrackError('bad_argument', 'Name a run or an agent, or say --all.')
}

function shown({ paused, runs, jobs }: Awaited<ReturnType<typeof lookAtQueue>>): Found {
  const rows = runs.map(({ run_id, counts }) => [run_id, ...STATES.map((is) => counts[is] ?? 0)])
  const at = jobs.map(({ task, state, changed }) => [
    task.agent_id,
    state.is === 'taken' ? 'taken' : 'set aside',
    changed.slice(0, 19).replace('T', ' '),
    state.is === 'taken' ? state.worker : state.is === 'set_aside' ? state.error : '',
  ])
  return {
    json: { paused, runs, jobs },
    lines: () => [
      paused && paint('yellow', `Paused: no worker is given a job. Go on: ${self} queue resume`),
      rows.length > 0
        ? table(['run', ...STATES.map((is) => is.replace('_', ' '))], rows)
        : paint('dim', `Nothing is in the queue. Begin with: ${self} run lint --queue`),
      at.length > 0 && `\n${table(['agent', 'state', 'since', 'worker, or why'], at)}`,
    ],
  }
}

export default {
  takes: '[action] [run-or-agent]',
  examples: [
    'queue --store postgres',
    'queue follow run-2611182330ab12',
    'queue pause                     # workers end what they do and are given nothing more',
    'queue resume',
    'queue cancel run-2611182330ab12',
    'queue retry                     # all that was set aside',
    'queue forget --all              # jobs of which nothing more becomes; their logs stay',
  ],
  options: [
    ['--all', 'with cancel and forget: every run'],
    ['--fail-on <what>', 'with follow: when to exit with 1', ['never', 'problems', 'failures'], 'problems'],
  ],
  call: queueCommand,
} satisfies CommandWords
