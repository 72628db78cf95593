import type { Draft, Event } from '../event/event.ts'
import type { Completion } from '../model/model.ts'
import type { AgentRun } from './run.ts'

/** Records an event together with what a model sent, byte for byte, in its raw part. */
export async function recordWith(
  { memory }: AgentRun,
  completion: Completion | undefined,
  draft: Draft,
): Promise<Event> {
  if (completion === undefined) return memory.record(draft)
  if (typeof completion === 'string') return memory.record({ ...draft, raw: { ...draft.raw, completion } })
  return memory.record(draft, { completion: await memory.keep(completion) })
}
