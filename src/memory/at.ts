import { TwotrackError } from '../errors.ts'
import type { Event } from '../event/event.ts'
import { fold } from '../packet/fold.ts'
import { readState } from '../packet/snapshot.ts'
import type { State } from '../packet/state.ts'
import type { Store } from '../store/store.ts'

/** A place in a log: after the event `seq`, or after the last event of `turn`. */
export type Place = { readonly seq: number } | { readonly turn: number }

interface Start {
  readonly seq: number
  readonly hash: string
  readonly state: State
}

/** The state at a place, folded from the nearest snapshot before it, and the last event folded. */
export async function stateAt(
  store: Store,
  agentId: string,
  place: Place,
): Promise<{ state: State; last: Event }> {
  const start = await startOf(store, agentId, place)
  // A snapshot of another history (the log was replaced) is not used: the whole log is folded.
  const folded =
    (await foldFrom(store, agentId, place, start)) ?? (await foldFrom(store, agentId, place, undefined))
  if (!folded || ('seq' in place && folded.last.seq !== place.seq))
    throw new TwotrackError('missing', `Agent "${agentId}" has no event at ${JSON.stringify(place)}.`)
  return folded
}

async function foldFrom(
  store: Store,
  agentId: string,
  place: Place,
  start: Start | undefined,
): Promise<{ state: State; last: Event } | undefined> {
  let state = start?.state
  let last: Event | undefined
  // The snapshot's own event is read again: its hash ties the snapshot to this history.
  const range = { from: start?.seq ?? 1, ...('seq' in place ? { to: place.seq } : {}) }
  for await (const event of store.read(agentId, range)) {
    if ('turn' in place && event.turn > place.turn) break
    if (event.seq !== start?.seq) state = fold(state, event)
    else if (event.hash !== start.hash) return undefined
    last = event
  }
  return state && last ? { state, last } : undefined
}

async function startOf(store: Store, agentId: string, place: Place): Promise<Start | undefined> {
  let seqMax = 'seq' in place ? place.seq : Number.MAX_SAFE_INTEGER
  for (;;) {
    const snapshot = await store.getSnapshot(agentId, seqMax)
    if (!snapshot) return undefined
    const state = readState(snapshot.state)
    const early = state && (!('turn' in place) || state.turn < place.turn)
    if (early) return { seq: snapshot.seq, hash: snapshot.hash, state }
    seqMax = snapshot.seq - 1
  }
}
