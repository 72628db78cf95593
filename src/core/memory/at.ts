import { TwotrackError } from '../../errors.ts'
import type { Event } from '../event/event.ts'
import { fold } from '../packet/fold.ts'
import type { Packet } from '../packet/packet.ts'
import type { State } from '../packet/state.ts'
import { assertStore } from '../store/given.ts'
import type { Store } from '../store/store.ts'
import { type Prompt, promptOf } from '../view/prompt.ts'
import { sharedReader } from './tokenizer.ts'

/** A place in a log: after the event `seq`, or after the last event of `turn`. */
export type Place = { readonly seq: number } | { readonly turn: number }

/**
 * The state at a place, and the first and the last event folded. Always folded from the first event on: that takes hundredths of a
 * millisecond an event, and a stored state would be one more thing to be forged or to go out of date.
 */
export async function stateAt(
  store: Store,
  agentId: string,
  place: Place,
): Promise<{ state: State; first: Event; last: Event }> {
  assertStore(store, agentId)
  let state: State | undefined
  let first: Event | undefined
  let last: Event | undefined
  for await (const event of store.read(agentId, {
    raw: false,
    ...('seq' in place ? { to: place.seq } : {}),
  })) {
    if ('turn' in place && event.turn > place.turn) break
    state = fold(state, event)
    first ??= event
    last = event
  }
  if (!state || !first || !last || ('seq' in place && last.seq !== place.seq))
    throw new TwotrackError('missing', `Agent "${agentId}" has no event at ${JSON.stringify(place)}.`)
  return { state, first, last }
}

/** The packet at a place, as a model would have been given it there. */
export async function packetAt(
  store: Store,
  agentId: string,
  place: { readonly seq: number } | { readonly turn: number },
): Promise<Packet> {
  return (await promptAt(store, agentId, place)).packet
}

/** The prompt at a place. */
export async function promptAt(
  store: Store,
  agentId: string,
  place: { readonly seq: number } | { readonly turn: number },
): Promise<Prompt> {
  const { state } = await stateAt(store, agentId, place)
  return promptOf(state, await sharedReader(state.settings.tokenizer))
}
