import { matches } from '../../store/log-entry.ts'
import type { LogEntry, Store } from '../../store/store.ts'
import { eachLog } from '../at-once.ts'
import { readAgent } from './agent.ts'
import { noPrices, type Prices, priced, rounded, together } from './cost.ts'
import type { AgentPart, ModelUse, Report, ReportFilter, ReportTotals } from './report.ts'

/** Steps are told one by one up to so many agents. */
const STEPS_AGENTS_MAX = 20

export interface ReportOptions extends ReportFilter {
  readonly prices?: Prices
  /** When it was made; now, unless told otherwise. */
  readonly made?: Date
  /** Called after each log, with how many are done and how many there are. */
  readonly onLog?: (done: number, all: number) => void
}

/** Reads every log that the filter lets through, once. */
export async function makeReport(store: Store, options: ReportOptions = {}): Promise<Report> {
  const { prices = noPrices, made = new Date(), onLog, ...filter } = options
  const entries = (await store.list()).filter((entry) => isMeant(entry, filter))
  const withSteps = entries.length <= STEPS_AGENTS_MAX
  const agents = await eachLog(entries, (entry) => readAgent(store, entry, prices, withSteps), onLog)
  return assemble(agents, filter, prices, made)
}

const isMeant = (entry: LogEntry, { agent_id, since, ...filter }: ReportFilter): boolean =>
  matches(entry, filter) &&
  (agent_id === undefined || entry.agent_id === agent_id) &&
  (since === undefined || Date.parse(entry.created) >= Date.parse(since))

function assemble(agents: readonly AgentPart[], filter: ReportFilter, prices: Prices, made: Date): Report {
  const models = together(agents.flatMap(({ models }) => models)).map((use) => priced(use, prices))
  const operations = new Map<string, { operation: string; agents: number; failed: number }>()
  for (const { operation, failed } of agents) {
    const known = operations.get(operation) ?? { operation, agents: 0, failed: 0 }
    operations.set(operation, known)
    known.agents++
    if (failed) known.failed++
  }
  return {
    made: made.toISOString(),
    filter,
    currency: prices.currency,
    totals: totalsOf(agents, models),
    operations: [...operations.values()].sort((a, b) => b.agents - a.agents),
    models,
    unpriced: models.filter(({ cost }) => cost === undefined).map(({ model }) => model),
    agents,
  }
}

function totalsOf(agents: readonly AgentPart[], models: readonly ModelUse[]): ReportTotals {
  const sum = (of: (agent: AgentPart) => number) => agents.reduce((total, agent) => total + of(agent), 0)
  const sumOf = (of: (use: ModelUse) => number) => models.reduce((total, use) => total + of(use), 0)
  const files = new Set(agents.flatMap(({ changes }) => changes.map(({ path }) => path)))
  const costs = models.flatMap(({ cost }) => cost ?? [])
  return {
    agents: agents.length,
    failed: agents.filter(({ failed }) => failed).length,
    open: agents.filter(({ state }) => state === 'open').length,
    events: sum(({ events }) => events),
    turns: sum(({ turns }) => turns),
    calls: sum(({ calls }) => calls),
    failed_calls: sum(({ failed_calls }) => failed_calls),
    raw_bytes: sum(({ raw_bytes }) => raw_bytes),
    files_changed: files.size,
    prompt_tokens: sumOf(({ prompt_tokens }) => prompt_tokens),
    completion_tokens: sumOf(({ completion_tokens }) => completion_tokens),
    answer_ms: sumOf(({ answer_ms }) => answer_ms),
    tool_ms: sum(({ tool_ms }) => tool_ms),
    ...(costs.length > 0 ? { cost: rounded(costs.reduce((total, cost) => total + cost, 0)) } : {}),
  }
}
