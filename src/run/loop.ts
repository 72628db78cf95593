import { messageOf } from '../errors.ts'
import { escalate, turnsAllowed } from './escalate.ts'
import { prepare } from './prepare.ts'
import { finish } from './resume.ts'
import type { AgentRun } from './run.ts'
import { cancelled, type Stop } from './stop.ts'
import { repeating } from './stuck.ts'
import { turn } from './turn.ts'

/**
 * Runs an agent until it stops, whatever happens, and records why. Continues a log that was cut short; one whose
 * result was handed in stays as it is.
 */
export async function loop(run: AgentRun, signal: AbortSignal): Promise<Stop> {
  const { ended } = run.state()
  if (ended?.reason === 'submitted') return ended
  let stop: Stop | undefined
  try {
    stop = run.memory.turn === 0 ? await prepare(run, signal) : await finish(run, signal)
    while (!stop) {
      stop = signal.aborted ? cancelled() : stuck(run)
      if (stop) stop = await escalate(run, stop, signal)
      stop ??= await turn(run, signal)
    }
  } catch (thrown) {
    stop = signal.aborted ? cancelled() : await crashed(run, messageOf(thrown))
  }
  stop = { ...stop, summary: run.memory.hide(stop.summary) }
  await run.memory.record({ type: 'run_end', data: { reason: stop.reason, summary: stop.summary } })
  return stop
}

/** Asked before each turn, so that no model call is made past a limit. */
function stuck(run: AgentRun): Stop | undefined {
  const turns = turnsAllowed(run)
  if (run.memory.turn >= turns) return { reason: 'turn_limit', summary: `${turns} turns without a result` }
  return repeating(run.state().recent)
}

/** What is thrown here is no answer of a model or a tool, which are results, but a fault of our own. */
async function crashed({ memory }: AgentRun, message: string): Promise<Stop> {
  await memory.record({ type: 'agent_error', data: { where: 'run', message } })
  return { reason: 'crashed', summary: message }
}
