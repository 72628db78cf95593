import { messageOf } from '../errors.ts'
import { modelFaultOf } from '../model/faults.ts'
import type { ModelFault } from '../model/model.ts'
import { waitBeforeRetry } from '../model/retry.ts'
import { recordWith } from './completion.ts'
import type { AgentRun } from './run.ts'
import { cancelled, type Stop } from './stop.ts'

/** A model that throws anything else breaks its contract. */
const BUG: ModelFault = { kind: 'bad_answer', retry: false }

/** Tries until there is an answer, or there is to be no further attempt. Each fault is an event. */
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
      const fault = modelFaultOf(thrown) ?? BUG
      const wait = waitBeforeRetry(++failed, fault, run.random)
      const retry = wait !== undefined
      await recordWith(run, fault.completion, {
        type: 'agent_error',
        data: { where, message, code: fault.kind, attempt: failed, retry },
      })
      if (!retry) return { reason: 'model_failed', summary: message }
      await run.wait(wait, signal)
      if (signal.aborted) return cancelled('stopped while waiting to ask again')
    }
  }
}
