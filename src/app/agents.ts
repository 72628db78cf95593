import { eachLog } from '../audit/history.ts'
import type { LogFilter, Store } from '../core/store/store.ts'
import { TwotrackError } from '../errors.ts'
import { type AgentSummary, readAgentSummary, unfinished } from '../run/agent-summary.ts'
import { logsOf, newestRun, shortNamesIn } from './names.ts'

/** An agent and what became of it. */
export interface ListedAgent extends AgentSummary {
  /** What a person types for it: `lint#3`. */
  readonly name: string
}

/** What became of the agents that a filter means, oldest first; each log is read once. */
export async function listAgents(
  store: Store,
  filter: LogFilter & { readonly last?: boolean },
): Promise<ListedAgent[]> {
  const { last, ...asked } = filter
  const all = await store.list()
  const short = shortNamesIn(all)
  const isAll = !last && Object.keys(asked).length === 0
  const entries = isAll ? all : await logsOf(store, { ...asked, ...(last ? await newestRun(store) : {}) })
  const summaries = await eachLog(entries, (entry) => readAgentSummary(store, entry))
  return summaries.map((summary) => ({ name: short(summary.agent_id), ...summary }))
}

/** What became of one agent. */
export async function agentOf(store: Store, agentId: string): Promise<AgentSummary> {
  const entry = (await store.list()).find(({ agent_id }) => agent_id === agentId)
  if (!entry) throw new TwotrackError('missing', `There is no log of agent "${agentId}".`)
  return readAgentSummary(store, entry)
}

/** Why the work of an agent is not whole; undefined when its result was handed in, or nobody can tell. */
export const unfinishedOf = async (store: Store, agentId: string): Promise<string | undefined> =>
  unfinished(await agentOf(store, agentId))
