import type { ModelFault } from './model.ts'

/** Attempts at one answer, the first included. */
const MODEL_TRIES_MAX = 3
/** The longest wait between two attempts, whatever the server asks for. */
const MODEL_WAIT_MS_MAX = 30_000

const FIRST_WAIT_MS = 1_000
/** Spread on top of what the server asked for, so that agents refused together do not return together. */
const SPREAD_MS = 1_000

/**
 * How long to wait after the given number of failed attempts; undefined when there is to be no further one.
 * Exponential with full jitter; `random` gives 0 to 1. A wait that the server asked for is respected, up to the cap.
 */
export function waitBeforeRetry(failed: number, fault: ModelFault, random: () => number): number | undefined {
  if (!fault.retry || failed >= MODEL_TRIES_MAX) return undefined
  if (fault.wait_ms !== undefined) {
    return Math.min(MODEL_WAIT_MS_MAX, Math.round(fault.wait_ms + random() * SPREAD_MS))
  }
  return Math.round(random() * Math.min(MODEL_WAIT_MS_MAX, FIRST_WAIT_MS * 2 ** failed))
}

/**
 * What a server asks us to wait, in milliseconds and capped; undefined when it asks nothing that can be
 * understood. `now` is the wall clock, needed only when the header holds a date.
 */
export function retryAfter(headers: Headers, now: number): number | undefined {
  const milliseconds = headerNumber(headers.get('retry-after-ms'))
  if (milliseconds !== undefined) return capped(milliseconds)
  const header = headers.get('retry-after')
  const seconds = headerNumber(header)
  if (seconds !== undefined) return capped(seconds * 1000)
  // Every form of HTTP date begins with the name of a day; Date.parse takes almost anything.
  const date = header !== null && /^[A-Za-z]{3,9},? /.test(header) ? Date.parse(header) : Number.NaN
  return Number.isNaN(date) ? undefined : capped(date - now)
}

const headerNumber = (text: string | null): number | undefined =>
  text !== null && /^\d{1,15}(\.\d{1,9})?$/.test(text.trim()) ? Number(text) : undefined

const capped = (wait: number): number => Math.min(MODEL_WAIT_MS_MAX, Math.max(0, Math.ceil(wait)))
