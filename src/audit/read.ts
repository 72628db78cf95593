import { TwotrackError } from '../errors.ts'
import type { Event } from '../event/event.ts'
import { canonical, type Json } from '../event/json.ts'
import { fieldOf } from '../memory/blobs.ts'
import { loadTokenizer } from '../memory/tokenizer.ts'
import { counterOf } from '../prompt/tokens/counter.ts'
import type { Store } from '../store/store.ts'
import type { Count } from '../view/view.ts'

/** Undefined for what is not there: a blob may have been pruned on purpose. */
export const ifThere = <T>(read: Promise<T>): Promise<T | undefined> =>
  read.catch((thrown: unknown) => {
    if (thrown instanceof TwotrackError && thrown.code === 'missing') return undefined
    throw thrown
  })

/** A raw field, or one of the data where the event has no such raw field; undefined when there is none, or once pruned. */
export const fieldIfThere = (
  store: Store,
  event: Event,
  field: string,
): Promise<Json | Uint8Array | undefined> => ifThere(fieldOf(store, event, field))

/** The same as text. */
export async function textIfThere(store: Store, event: Event, field: string): Promise<string | undefined> {
  const value = await fieldIfThere(store, event, field)
  if (value === undefined || typeof value === 'string') return value
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : canonical(value)
}

export async function readEvent(store: Store, agentId: string, seq: number): Promise<Event | undefined> {
  for await (const event of store.read(agentId, { from: seq, to: seq })) return event
  return undefined
}

/** Counts tokens as the run of a log did. Throws `bad_event` for a log that has no beginning. */
export async function counterFor(agentId: string, first: Event | undefined): Promise<Count> {
  if (first?.type !== 'run_start')
    throw new TwotrackError('bad_event', `The log of agent "${agentId}" does not begin with run_start.`)
  return counterOf(await loadTokenizer(first.data.settings.tokenizer))
}

/** Throws `missing` for a turn that a log has not come to. */
export function assertTurn(agentId: string, turn: number | undefined, last: number): void {
  if (turn !== undefined && turn > last)
    throw new TwotrackError('missing', `Agent "${agentId}" has turns 0 to ${last}; there is no turn ${turn}.`)
}
