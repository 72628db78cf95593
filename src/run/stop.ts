import type { StopReason } from '../event/event.ts'

/** Why a run ended, in the log's words and in a person's. */
export interface Stop {
  readonly reason: StopReason
  readonly summary: string
}

export const cancelled = (summary = 'stopped from outside'): Stop => ({ reason: 'cancelled', summary })
