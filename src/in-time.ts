import { TwotrackError } from './errors.ts'

/**
 * Waits for work until it ends, its time is over or the signal aborts, and not longer: work that goes on regardless is not
 * waited for. Its own signal aborts then, and whatever it throws after that is the reason for it.
 */
export async function inTime<T>(
  name: string,
  deadlineMs: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(tooLate(name, deadlineMs)), deadlineMs)
  const signal = AbortSignal.any([...(outer ? [outer] : []), deadline.signal])
  const ended = Promise.withResolvers<never>()
  const stop = () => ended.reject(reasonOf(signal))
  signal.addEventListener('abort', stop, { once: true })
  try {
    if (signal.aborted) throw reasonOf(signal)
    return await Promise.race([Promise.resolve(work(signal)), ended.promise])
  } catch (thrown) {
    // A thrown string is an error too, not a result.
    if (signal.aborted) throw reasonOf(signal)
    throw thrown instanceof Error ? thrown : new Error(String(thrown))
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}

const tooLate = (name: string, deadlineMs: number): TwotrackError =>
  new TwotrackError(
    'limit',
    `${name} was stopped: it took longer than ${deadlineMs} ms. Ask for less at a time, or raise the deadline (limits.toolDeadlineMs).`,
  )

const reasonOf = (signal: AbortSignal): Error =>
  signal.reason instanceof TwotrackError
    ? signal.reason
    : new TwotrackError('closed', 'The call was cancelled before it ended.', { cause: signal.reason })
