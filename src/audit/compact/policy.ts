import type { Survey } from './survey.ts'

const DAY_MS = 86_400_000

/** What is kept, and for how long. `null` keeps it. */
export interface Retention {
  /** Raw output of agents that ended more days ago than this is removed. */
  readonly raw_days: number | null
  /** All raw output together may have so many bytes; that of the agents that ended first is removed. */
  readonly raw_bytes: number | null
  /** Keeps all raw output of agents that did not do what they were asked for, and of every call that failed. */
  readonly keep_errors: boolean
  /** Logs of agents that ended more days ago than this are compressed. */
  readonly archive_days: number | null
}

/** What is to be done with one log, and why. */
export interface Decision {
  readonly survey: Survey
  /** Why its raw output goes; undefined when it stays. */
  readonly prune?: string
  readonly archive: boolean
}

/** Decides about every log. An agent that has not ended may need its raw output to go on, and keeps it. Pure. */
export function decide(surveys: readonly Survey[], retention: Retention, now_ms: number): Decision[] {
  const { raw_days, raw_bytes, archive_days } = retention
  const isPast = ({ ended, last_ms }: Survey, days: number | null): boolean =>
    days !== null && ended && now_ms - last_ms > days * DAY_MS
  const goes = new Map<Survey, string>()
  for (const survey of surveys)
    if (mayGo(survey, retention) && isPast(survey, raw_days)) goes.set(survey, `older than ${raw_days} days`)
  if (raw_bytes !== null) {
    let left = surveys.reduce((sum, one) => sum + one.raw_bytes - (goes.has(one) ? one.prunable_bytes : 0), 0)
    for (const survey of [...surveys].sort((a, b) => a.last_ms - b.last_ms)) {
      if (left <= raw_bytes) break
      if (goes.has(survey) || !mayGo(survey, retention)) continue
      goes.set(survey, `raw output is over ${raw_bytes} bytes`)
      left -= survey.prunable_bytes
    }
  }
  return surveys.map((survey) => {
    const prune = goes.get(survey)
    const archive = !survey.archived && isPast(survey, archive_days)
    return { survey, archive, ...(prune === undefined ? {} : { prune }) }
  })
}

const mayGo = ({ ended, failed, prunable }: Survey, { keep_errors }: Retention): boolean =>
  ended && prunable.length > 0 && !(keep_errors && failed)
