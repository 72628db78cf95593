import { setImmediate } from 'node:timers/promises'
import { defined } from '../../core/event/json.ts'
import type { Store } from '../../core/store/store.ts'
import { promptOf } from '../../core/view/prompt.ts'
import { assertTurn, logSourceOf, readEvent, readerFor } from '../history.ts'
import { type BlindSpots, mergedSpots } from './spot.ts'
import { type PromptAt, Walk } from './walk.ts'

const SPOTS_DEFAULT = 50

/**
 * What raw outputs said and packets did not show when it mattered: the 50 worst, unless told otherwise; of one turn, what its
 * calls were chosen without. Throws `missing`.
 */
export function blindSpots(
  store: Store,
  agentId: string,
  { turn, most = SPOTS_DEFAULT }: { readonly turn?: number; readonly most?: number } = {},
): Promise<BlindSpots> {
  return worstSpots(store, agentId, { most, ...defined({ turn }) })
}

/** The same, of prompts that somebody has already. */
export async function worstSpots(
  store: Store,
  agentId: string,
  { turn, most, prompt }: { readonly turn?: number; readonly most: number; readonly prompt?: PromptAt },
): Promise<BlindSpots> {
  const reader = await readerFor(agentId, await readEvent(store, agentId, 1))
  const walk = new Walk(logSourceOf(store, agentId), prompt ?? ((_, state) => promptOf(state, reader)), turn)
  for await (const event of store.read(agentId)) {
    await walk.event(event)
    // Others get their turn: a long log takes seconds.
    await setImmediate()
  }
  const decisions = await walk.end()
  assertTurn(agentId, turn, walk.turn)
  return {
    agent_id: agentId,
    decisions: walk.decisions,
    blind: decisions.length,
    names_needed: walk.needed,
    names_missed: walk.missed,
    spots: mergedSpots(decisions.flatMap(({ spots }) => spots)).slice(0, most),
    pruned: walk.pruned,
  }
}
