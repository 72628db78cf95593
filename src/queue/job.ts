/**
 * A job that failed so often is set aside with its error: it could not be begun, or its workers died.
 * @internal
 */
export const JOB_ATTEMPTS_MAX = 5
/** After its first failure it waits so long, after each further one twice as long, up to the most: what failed may pass. */
export const RETRY_PAUSE_S = 1
export const RETRY_PAUSE_S_MAX = 60

/**
 * One agent of a run that any worker may do. Who does it is who holds the lease of its log: there is no second lease, so a
 * job only remembers the generation of that one. Pure: a queue locks a job's row, asks here what becomes of it, and writes
 * that down.
 */
export type JobState =
  | { readonly is: 'waiting'; readonly failed: number; readonly error?: string }
  | { readonly is: 'taken'; readonly failed: number; readonly worker: string; readonly generation: number }
  | { readonly is: 'done' }
  | { readonly is: 'set_aside'; readonly failed: number; readonly error: string }
  | { readonly is: 'cancelled' }

/** What can happen to a job. A worker's moves bring the generation under which it took the log. */
export type JobMove =
  | { readonly do: 'take'; readonly worker: string; readonly generation: number }
  | { readonly do: 'end'; readonly generation: number }
  | { readonly do: 'fail'; readonly generation: number; readonly error: string }
  | { readonly do: 'give_back'; readonly generation: number }
  | { readonly do: 'cancel' }
  | { readonly do: 'retry' }

/**
 * What a job becomes, undefined where the move does not apply: above all that of a worker whose lease went to another. A
 * job that is taken from a worker that still had it has cost that worker: this counts as a failure, or a job that kills
 * whoever does it would go round for ever.
 */
export function nextState(state: JobState, move: JobMove): JobState | undefined {
  switch (move.do) {
    case 'take': {
      const { worker, generation } = move
      if (state.is === 'waiting') return { is: 'taken', failed: state.failed, worker, generation }
      if (state.is !== 'taken' || generation <= state.generation) return undefined
      const error = `${state.worker} stopped, or lost its lease, while it had this job.`
      const left = afterFailure(state.failed, error)
      return left.is === 'set_aside' ? left : { is: 'taken', failed: left.failed, worker, generation }
    }
    case 'end':
      return isHeldBy(state, move) ? { is: 'done' } : undefined
    case 'fail':
      return isHeldBy(state, move) ? afterFailure(state.failed, move.error) : undefined
    case 'give_back':
      return isHeldBy(state, move) ? { is: 'waiting', failed: state.failed } : undefined
    case 'cancel':
      return state.is === 'done' || state.is === 'cancelled' ? undefined : { is: 'cancelled' }
    case 'retry':
      return state.is === 'set_aside' ? { is: 'waiting', failed: 0 } : undefined
  }
}

/** Whether nothing more becomes of a job by itself. */
export const isOver = ({ is }: JobState): boolean => is !== 'waiting' && is !== 'taken'

const isHeldBy = (
  state: JobState,
  { generation }: { readonly generation: number },
): state is Extract<JobState, { is: 'taken' }> => state.is === 'taken' && state.generation === generation

function afterFailure(before: number, error: string) {
  const failed = before + 1
  return failed >= JOB_ATTEMPTS_MAX
    ? ({ is: 'set_aside', failed, error } as const)
    : ({ is: 'waiting', failed, error } as const)
}
