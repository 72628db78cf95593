import { messageOf } from '../errors.ts'
import { modelFaultOf } from '../model/faults.ts'
import { waitBeforeRetry } from '../model/retry.ts'
import { type AgentRun, cancelled, type Stop } from './run.ts'

/** Tries until there is an answer, or no further attempt is worth it. Each fault is an event. */
export async function attempts<T>(
  run: AgentRun,
  where: 'model' | 'escalation',
  signal: AbortSignal,
  attempt: () => Promise<T>,
): Promise<T | Stop> {
  for (let failed = 0; ; ) {
    try {
      return await attempt()
    } catch (thrown) {
      if (signal.aborted) return cancelled(`stopped while the ${where} was asked`)
      const message = messageOf(thrown)
      const fault = modelFaultOf(thrown) ?? { kind: 'bad_answer' as const, retry: false }
      const wait = waitBeforeRetry(++failed, fault, run.random)
      const retry = wait !== undefined
      await run.memory.record({
        type: 'agent_error',
        data: { where, message, code: fault.kind, attempt: failed, retry },
      })
      if (!retry) return { reason: 'model_failed', summary: message }
      await run.wait(wait, signal)
      if (signal.aborted) return cancelled('stopped while waiting to ask again')
    }
  }
}
