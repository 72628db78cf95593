import { defined } from '../../core/event/json.ts'
import type { Store } from '../../core/store/store.ts'
import { assertTurn, logSourceOf, readEvent, readerFor } from '../history.ts'
import { type BlindDecision, type BlindSpots, mergedSpots } from './spot.ts'
import { Walk } from './walk.ts'

const SPOTS_DEFAULT = 50

/**
 * What raw outputs said and packets did not show when it mattered: the 50 worst, unless told otherwise; of one turn, what its
 * calls were chosen without. Throws `missing`.
 */
export async function blindSpots(
  store: Store,
  agentId: string,
  { turn, most = SPOTS_DEFAULT }: { readonly turn?: number; readonly most?: number } = {},
): Promise<BlindSpots> {
  const { walk, decisions } = await walkThrough(store, agentId, turn)
  assertTurn(agentId, turn, walk.turn)
  const spots = decisions.flatMap((one) => one.spots)
  return {
    agent_id: agentId,
    decisions: walk.decisions,
    blind: decisions.length,
    names_needed: walk.needed,
    names_missed: walk.missed,
    spots: mergedSpots(spots).slice(0, most),
    pruned: walk.pruned,
  }
}

/** @internal */
export async function walkThrough(
  store: Store,
  agentId: string,
  only?: number,
): Promise<{ walk: Walk; decisions: BlindDecision[] }> {
  const reader = await readerFor(agentId, await readEvent(store, agentId, 1))
  const walk = new Walk(logSourceOf(store, agentId), reader, defined({ only }))
  for await (const event of store.read(agentId)) await walk.event(event)
  return { walk, decisions: await walk.end() }
}
