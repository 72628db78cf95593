import type { Draft, Event } from '../event/event.ts'
import type { Completion } from '../model/model.ts'
import { hideStreamed } from '../model/streamed.ts'
import type { AgentRun } from './run.ts'

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
