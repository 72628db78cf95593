import { eachLog } from '../audit/history.ts'
import { entryOf } from '../core/store/log-entry.ts'
import type { LogEntry, LogFilter, Store } from '../core/store/store.ts'
import { TwotrackError } from '../errors.ts'
import { type AgentSummary, readAgentSummary } from '../run/agent-summary.ts'
import { foldProposal, type Pending } from '../workspace/proposal.ts'
import { inOrder, logsOf, newestRun, shortNames } from './names.ts'

/** An agent and what became of it. */
interface ListedAgent extends AgentSummary {
  /** What a person types for it: `lint#3`. */
  readonly name: string
  /** Files that it proposes to change and nobody has decided about, some of them in part. */
  readonly proposed: number
}

/** Agents that are told at once. */
const PAGE_AGENTS = 100

/** A page of agents. */
export interface ListedAgents {
  /** Oldest run first, and in a run by node. */
  readonly agents: readonly ListedAgent[]
  /** The one that began first, where there are older ones: the next page is what began before it. */
  readonly before?: string
}

/** What became of the agents that a filter means: of those that began last, or before one of them. */
export async function listAgents(
  store: Store,
  {
    last,
    before,
    most = PAGE_AGENTS,
    ...asked
  }: LogFilter & { readonly last?: boolean; readonly before?: string; readonly most?: number },
): Promise<ListedAgents> {
  const filter = { ...asked, ...(last ? await newestRun(store) : {}) }
  const page = { limit: most + 1, ...(before === undefined ? {} : { before: await entryFor(store, before) }) }
  let found = await store.newest(filter, page)
  // A run may be named by its beginning.
  if (found.length === 0 && before === undefined && filter.run_id !== undefined) {
    const [first] = await logsOf(store, filter)
    if (first) found = await store.newest({ ...filter, run_id: first.run_id }, page)
  }
  const entries = found.slice(0, most).reverse()
  const short = shortNames(store)
  const agents = await eachLog(entries, async (entry) => {
    let pending: Pending = new Map()
    const summary = await readAgentSummary(store, entry, (event) => {
      pending = foldProposal(pending, event)
    })
    return { name: await short(entry), ...summary, proposed: pending.size }
  })
  const [oldest] = entries
  return { agents: inOrder(agents), ...(found.length > most && oldest ? { before: oldest.agent_id } : {}) }
}

/** What the first event of a log says of it. Throws `missing`. */
async function entryFor(store: Store, agentId: string): Promise<LogEntry> {
  for await (const first of store.read(agentId, { from: 1, to: 1 })) return entryOf(first)
  throw new TwotrackError('missing', `There is no log of agent "${agentId}".`)
}
