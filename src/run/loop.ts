import { messageOf } from '../errors.ts'
import { escalate } from './escalate.ts'
import { prepare } from './prepare.ts'
import { finishPending } from './resume.ts'
import type { AgentRun, Stop } from './run.ts'
import { repeating, spent } from './stuck.ts'
import { turn } from './turn.ts'

/** Turns that an answered escalation adds to a run that had none left. */
const TURNS_AFTER_ESCALATION = 5

/** Runs an agent until it stops, whatever happens, and records why. Continues a log that was cut short. */
export async function loop(run: AgentRun, signal: AbortSignal): Promise<Stop> {
  let stop: Stop | undefined
  let turnsMax = run.limits.turns_max
  try {
    stop = run.memory.turn === 0 ? await prepare(run) : await finishPending(run, signal)
    while (!stop) {
      stop = signal.aborted ? cancelled : await stuckOrSpent(run, turnsMax)
      if (stop && (await escalate(run, stop, signal))) {
        stop = undefined
        turnsMax = Math.max(turnsMax, run.memory.turn + TURNS_AFTER_ESCALATION)
      }
      stop ??= await turn(run, signal)
    }
  } catch (thrown) {
    stop = signal.aborted ? cancelled : { reason: 'model_failed', summary: messageOf(thrown) }
  }
  await run.memory.record({ type: 'run_end', data: { reason: stop.reason, summary: stop.summary } })
  return stop
}

const cancelled: Stop = { reason: 'cancelled', summary: 'stopped from outside' }

/** Asked before each turn, so that no model call is made past a limit. */
async function stuckOrSpent(run: AgentRun, turnsMax: number): Promise<Stop | undefined> {
  if (run.memory.turn >= turnsMax)
    return { reason: 'turn_limit', summary: `${turnsMax} turns without a result` }
  return (await spent(run)) ?? (await repeating(run))
}
