import { MODEL_WAIT_MS_MAX } from '../limits.ts'

/**
 * What a server asks us to wait, in milliseconds and capped; undefined when it asks nothing that can be
 * understood. `now` is the wall clock, needed only when the header holds a date.
 */
export function retryAfter(headers: { get(name: string): string | null }, now: number): number | undefined {
  const precise = seconds(headers.get('retry-after-ms'))
  if (precise !== undefined) return capped(precise)
  const header = headers.get('retry-after')
  const asked = seconds(header)
  if (asked !== undefined) return capped(asked * 1000)
  // Every form of HTTP date begins with the name of a day; Date.parse takes almost anything.
  const date = header !== null && /^[A-Za-z]{3,9},? /.test(header) ? Date.parse(header) : Number.NaN
  return Number.isNaN(date) ? undefined : capped(date - now)
}

const seconds = (text: string | null): number | undefined =>
  text !== null && /^\d{1,15}(\.\d{1,9})?$/.test(text.trim()) ? Number(text) : undefined

const capped = (wait: number): number => Math.min(MODEL_WAIT_MS_MAX, Math.max(0, Math.ceil(wait)))
