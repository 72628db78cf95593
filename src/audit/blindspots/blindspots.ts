import { defined } from '../../core/event/json.ts'
import type { Store } from '../../core/store/store.ts'
import { assertTurn, readEvent, readerFor, sourceOf } from '../history.ts'
import { type BlindDecision, merged, type Spot } from './spot.ts'
import { Walk } from './walk.ts'

export interface BlindSpots {
  readonly agent_id: string
  readonly decisions: number
  /** Decisions that were made without something that raw output had said. */
  readonly blind: number
  /** Names that calls used and that only raw output could have told them; and those that the packet did not show. */
  readonly names_needed: number
  readonly names_missed: number
  /** The worst first. */
  readonly spots: readonly Spot[]
  /** Results whose raw output was pruned: what they said can't be known. */
  readonly pruned: number
}

export interface BlindSpotOptions {
  /** Only what the calls of this turn were chosen without. */
  readonly turn?: number
  /** How many spots to give; 50 unless told otherwise. */
  readonly most?: number
}

const SPOTS_DEFAULT = 50

/** What raw outputs said and packets did not show when it mattered. Throws `missing`. */
export async function blindSpots(
  store: Store,
  agentId: string,
  { turn, most = SPOTS_DEFAULT }: BlindSpotOptions = {},
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
    spots: merged(spots).slice(0, most),
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
  const walk = new Walk(sourceOf(store, agentId), reader, defined({ only }))
  for await (const event of store.read(agentId)) await walk.event(event)
  return { walk, decisions: await walk.end() }
}
