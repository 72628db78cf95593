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

/** Records an event together with what a model sent, byte for byte, in its raw part. */
export async function recordWith(
  { memory }: AgentRun,
  completion: Completion | undefined,
  draft: Draft,
): Promise<Event> {
  if (completion === undefined) return memory.record(draft)
  if (typeof completion === 'string') {
    const hidden = hideStreamed(completion, (text) => memory.hide(text))
    return memory.record({ ...draft, raw: { ...draft.raw, completion: hidden } })
  }
  return memory.record(draft, { completion: await memory.keep(completion) })
}
