import { blindSpots } from '../audit/blindspots/blindspots.ts'
import { type BlindSpots, blameText, byScore } from '../audit/blindspots/spot.ts'
import { defined } from '../core/event/json.ts'
import type { Store } from '../core/store/store.ts'
import { TwotrackError } from '../errors.ts'

/** What packets did not show over one or many logs. */
export interface BlindSpotsOfLogs {
  readonly logs: readonly Omit<BlindSpots, 'spots'>[]
  /** The worst of all logs, the worst first. */
  readonly spots: readonly (BlindSpots['spots'][number] & { readonly agent_id: string })[]
  /** How many spots each is to blame for. */
  readonly causes: Readonly<Record<string, number>>
}

const MOST_DEFAULT = 10

/** What raw outputs said and packets did not show when it mattered; of one agent also what one turn's calls were chosen without. */
export async function blindSpotsOf(
  store: Store,
  agents: readonly string[],
  { turn, most = MOST_DEFAULT }: { readonly turn?: number; readonly most?: number },
): Promise<BlindSpotsOfLogs> {
  if (turn !== undefined && agents.length > 1)
    throw new TwotrackError('bad_argument', '--turn looks at one decision of one agent; name that agent.')
  const logs: Omit<BlindSpots, 'spots'>[] = []
  const causes: Record<string, number> = {}
  let worst: BlindSpotsOfLogs['spots'] = []
  for (const agent_id of agents) {
    const all = { most: Number.MAX_SAFE_INTEGER, ...defined({ turn }) }
    const { spots, ...log } = await blindSpots(store, agent_id, all)
    logs.push(log)
    for (const { blame } of spots) causes[blameText(blame)] = (causes[blameText(blame)] ?? 0) + 1
    // Only as many as are shown are kept: there may be ten thousand logs.
    worst = [...worst, ...spots.map((spot) => ({ agent_id, ...spot }))].sort(byScore).slice(0, most)
  }
  return { logs, spots: worst, causes }
}
