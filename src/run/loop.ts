import { messageOf } from '../errors.ts'
import { escalate, turnsAllowed } from './escalate.ts'
import { prepare } from './prepare.ts'
import { finish, pendingOf } from './resume.ts'
import { type AgentRun, cancelled, type Stop } from './run.ts'
import { repeating } from './stuck.ts'
import { turn } from './turn.ts'

/**
 * Runs an agent until it stops, whatever happens, and records why. Continues a log that was cut short; one whose
 * result was handed in stays as it is.
 */
export async function loop(run: AgentRun, signal: AbortSignal): Promise<Stop> {
  const pending = run.memory.turn === 0 ? undefined : await pendingOf(run)
  if (pending?.ended) return pending.ended
  let stop: Stop | undefined
  try {
    stop = pending ? await finish(run, pending, signal) : await prepare(run)
    while (!stop) {
      stop = signal.aborted ? cancelled() : await stuck(run)
      if (stop) stop = await escalate(run, stop, signal)
      stop ??= await turn(run, signal)
    }
  } catch (thrown) {
    stop = signal.aborted ? cancelled() : await broken(run, messageOf(thrown))
  }
  await run.memory.record({ type: 'run_end', data: { reason: stop.reason, summary: stop.summary } })
  return stop
}

/** Asked before each turn, so that no model call is made past a limit. */
async function stuck(run: AgentRun): Promise<Stop | undefined> {
  const turns = await turnsAllowed(run)
  if (run.memory.turn >= turns) return { reason: 'turn_limit', summary: `${turns} turns without a result` }
  return repeating(run)
}

/** What is thrown here is no answer of a model or a tool: those are results. The log says where it came from. */
async function broken({ memory }: AgentRun, message: string): Promise<Stop> {
  await memory.record({ type: 'agent_error', data: { where: 'run', message } })
  return { reason: 'model_failed', summary: message }
}
