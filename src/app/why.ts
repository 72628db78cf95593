import { History } from '../audit/history.ts'
import type { Answer } from '../audit/why/answer.ts'
import { whyIn } from '../audit/why/why.ts'
import { defined } from '../core/event/json.ts'
import type { Store } from '../core/store/store.ts'

/** A raw field of an event as text, to show what stands around the marks; undefined once it was pruned. */
export type RawText = (seq: number, field: string) => Promise<string | undefined>

/** Where a value of the packet of a turn comes from: a pointer into it, or a text that it shows. */
export async function whyOf(
  store: Store,
  agentId: string,
  pointerOrText: string,
  turn?: number,
): Promise<{ readonly answer: Answer; readonly raw: RawText }> {
  const history = await History.open(store, agentId)
  const answer = await whyIn(history, pointerOrText, defined({ turn }))
  return { answer, raw: (seq, field) => history.raw(seq, field) }
}
