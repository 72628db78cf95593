import { TwotrackError } from '../errors.ts'

const UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** A length of time such as `90m`, `12h`, `30d`, `4w`, in milliseconds. Undefined when it is none. */
export function lengthOfTime(text: string): number | undefined {
  const [, count = '', unit = ''] = /^(\d{1,6})([mhdw])$/.exec(text) ?? []
  const unit_ms = UNITS_MS[unit]
  return unit_ms === undefined ? undefined : Number(count) * unit_ms
}

/** A date, or a length of time before now, as an ISO date. */
export function sinceWhen(text: string, now = Date.now()): string {
  const length = lengthOfTime(text)
  const at = length === undefined ? Date.parse(text) : now - length
  if (!Number.isNaN(at)) return new Date(at).toISOString()
  throw new TwotrackError(
    'bad_argument',
    `"${text}" is no time; give a date (2026-11-16) or a length (90m, 12h, 7d, 4w).`,
  )
}
