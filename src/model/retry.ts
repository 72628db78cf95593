import { MODEL_TRIES_MAX, MODEL_WAIT_MS_MAX } from '../limits.ts'
import type { ModelFault } from './model.ts'

const FIRST_WAIT_MS = 1_000
/** Spread on top of what the server asked for, so that agents refused together do not return together. */
const SPREAD_MS = 1_000

/**
 * How long to wait after the given number of failed attempts; undefined when no further one is worth it.
 * Exponential with full jitter; `random` gives 0 to 1. A wait that the server asked for is kept, up to the cap.
 */
export function waitBeforeRetry(failed: number, fault: ModelFault, random: () => number): number | undefined {
  if (!fault.retry || failed >= MODEL_TRIES_MAX) return undefined
  if (fault.wait_ms !== undefined) {
    return Math.min(MODEL_WAIT_MS_MAX, Math.round(fault.wait_ms + random() * SPREAD_MS))
  }
  return Math.round(random() * Math.min(MODEL_WAIT_MS_MAX, FIRST_WAIT_MS * 2 ** failed))
}
