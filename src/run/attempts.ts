import type { Draft, Event } from '../core/event/event.ts'
import { messageOf } from '../errors.ts'
import { modelFaultOf } from '../model/faults.ts'
import type { Completion, ModelFault } from '../model/model.ts'
import { waitBeforeRetry } from '../model/retry.ts'
import { hideStreamed } from '../model/streamed.ts'
import type { AgentRun } from './run.ts'
import { cancelled, type Stop } from './state.ts'

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
      await run.memory.flush()
      await run.wait(wait, signal)
      if (signal.aborted) return cancelled('stopped while waiting to ask again')
    }
  }
}

/** What a model sent, byte for byte but for its secrets, also where a stream cut them into pieces. */
export const completionOf = (
  { memory }: AgentRun,
  completion: Completion | undefined,
): Completion | undefined =>
  typeof completion === 'string' ? hideStreamed(completion, memory.border.hide) : completion

/** Records an event together with what a model sent in its raw part. */
export async function recordWith(run: AgentRun, sent: Completion | undefined, draft: Draft): Promise<Event> {
  const completion = completionOf(run, sent)
  if (completion === undefined) return run.memory.record(draft)
  if (typeof completion === 'string')
    return run.memory.record({ ...draft, raw: { ...draft.raw, completion } })
  return run.memory.record(draft, { completion: await run.memory.keep(completion) })
}
