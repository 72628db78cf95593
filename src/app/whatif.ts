import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { byScore, type Spot } from '../audit/blindspots/spot.ts'
import { History } from '../audit/history.ts'
import {
  type OtherPackets,
  type WhatIf,
  type WhatIfOptions,
  whatIf,
  whatIfTurn,
} from '../audit/whatif/whatif.ts'
import { defined, isObject } from '../core/event/json.ts'
import type { Store } from '../core/store/store.ts'
import { messageOf, TwotrackError } from '../errors.ts'
import { isSummarizer, type Summarizer } from '../summarize/summarizer.ts'

/** What a log is to be folded with instead, as a person names it. */
export interface OtherWay {
  /** A module, or `built-in`. */
  readonly summarizers?: string
  readonly limit?: number
  readonly view?: string
}

/** Logs folded with something else, beside what they are. */
export interface WhatIfOfLogs {
  readonly balance: number
  readonly logs: readonly WhatIf[]
}

const SPOTS_MAX = 5

export async function whatIfOf(
  store: Store,
  agents: readonly string[],
  way: OtherWay,
): Promise<WhatIfOfLogs> {
  const other = await otherOf(way)
  const logs: WhatIf[] = []
  for (const agent of agents) {
    const found = await whatIf(store, agent, other)
    // Of many logs only the sums and the worst spots are kept.
    const few = { ...found, opened: worst(found.opened), closed: worst(found.closed) }
    logs.push(agents.length === 1 ? found : few)
  }
  return { balance: logs.reduce((sum, log) => sum + log.balance, 0), logs }
}

/** The packet that the calls of one turn of one agent were chosen with, beside what it would have been. */
export async function whatIfTurnOf(
  store: Store,
  agents: readonly string[],
  turn: number,
  way: OtherWay,
): Promise<OtherPackets> {
  const [agent, ...more] = agents
  if (agent === undefined || more.length > 0)
    throw new TwotrackError('bad_argument', '--turn shows two packets of one agent; name that agent.')
  return whatIfTurn(await History.open(store, agent), turn, await otherOf(way))
}

/** Of many the few that matter most. */
export const worst = (spots: readonly Spot[]): Spot[] => spots.toSorted(byScore).slice(0, SPOTS_MAX)

async function otherOf({ summarizers, limit, view }: OtherWay): Promise<WhatIfOptions> {
  if (summarizers === undefined && limit === undefined && view === undefined)
    throw new TwotrackError('bad_argument', 'Say what is to be different: --summarizers, --limit or --view.')
  const loaded = summarizers === undefined ? undefined : await loadSummarizers(summarizers)
  return defined({ limit, view, summarizers: loaded })
}

/** A person named the file: its code runs with that person's rights. */
async function loadSummarizers(file: string): Promise<NonNullable<WhatIfOptions['summarizers']>> {
  if (file === 'built-in') return []
  let module: { readonly default?: unknown }
  try {
    module = await import(pathToFileURL(resolve(file)).href)
  } catch (cause) {
    throw new TwotrackError('bad_argument', `${file} can't be loaded: ${messageOf(cause)}`, { cause })
  }
  const given = module.default
  if (isSummarizer(given)) return [given]
  if (Array.isArray(given) && given.every(isSummarizer)) return given
  if (isObject(given) && Object.values(given).every(isSummarizer)) return given as Record<string, Summarizer>
  throw new TwotrackError(
    'bad_argument',
    `The default export of ${file} is no summarizer, list of them, or record of them by tool.`,
  )
}
