import type { LogEntry, LogFilter, Store } from '../core/store/store.ts'
import { TwotrackError } from '../errors.ts'
import { nearest } from '../text/suggest.ts'

/** Which agents a command is about. */
export interface WhichOptions {
  readonly all?: boolean
  readonly run?: string
  readonly last?: boolean
}

/** A run, and when it began or was to begin. */
export type RunBegun = Pick<LogEntry, 'run_id' | 'created'>

const HOW = 'a part of a name is enough, and so is lint#3'

/** The agent that a command is about: as it was named, or the one that began last. */
export async function agentMeant(
  store: Store,
  given: string | undefined,
  { last }: WhichOptions,
): Promise<string> {
  if (given !== undefined) return agentNamed(store, given)
  if (!last) throw new TwotrackError('bad_argument', `Name the agent (${HOW}), or say --last.`)
  const newest = (await store.list()).at(-1)
  if (newest) return newest.agent_id
  throw new TwotrackError('missing', `No runs are recorded here. Begin with "twotrack run lint".`)
}

/** The agents that a command is about: by name, of a run, of the newest run, or all. */
export async function agentsMeant(
  store: Store,
  given: readonly string[],
  { all, run, last }: WhichOptions,
): Promise<string[]> {
  if (given.length > 0) {
    const named: string[] = []
    for (const one of given) named.push(await agentNamed(store, one))
    return [...new Set(named)]
  }
  if (!all && run === undefined && !last)
    throw new TwotrackError('bad_argument', `Name the agents (${HOW}), or say --last, --run ID or --all.`)
  const filter = last ? await newestRun(store) : run === undefined ? {} : { run_id: run }
  const found = await logsOf(store, filter)
  // Agents of one run begin side by side, so which was first is chance: their nodes say the order.
  const runs = Map.groupBy(found, ({ run_id }) => run_id)
  return [...runs.values()].flatMap((ofRun) => ofRun.sort(byNode)).map(({ agent_id }) => agent_id)
}

const byNode = (one: LogEntry, other: LogEntry): number =>
  `${one.node_id}\0${one.agent_id}` < `${other.node_id}\0${other.agent_id}` ? -1 : 1

/** The run that began last. */
export const newestRun = async (store: Store): Promise<LogFilter> => {
  const newest = (await store.list()).at(-1)
  return newest ? { run_id: newest.run_id } : {}
}

/** An agent by its name, by a part of it, or as `lint#3`: the third lint agent of the newest run that has any. */
async function agentNamed(store: Store, given: string): Promise<string> {
  if (await store.head(given)) return given
  const all = await store.list()
  const numbered = /^(.*)#(\d{1,6})$/.exec(given)
  const fitting = numbered ? byNumber(all, numbered[1] ?? '', Number(numbered[2])) : byPart(all, given)
  const [only, ...others] = fitting
  if (only && others.length === 0) return only.agent_id
  const short = shortNamesIn(all)
  const names = (entries: readonly LogEntry[]) =>
    `${entries
      .slice(-5)
      .map(({ agent_id }) => (only ? agent_id : short(agent_id)))
      .join(', ')}${entries.length > 5 ? ', …' : ''}`
  throw new TwotrackError(
    'missing',
    only
      ? `"${given}" fits several agents: ${names(fitting)}. Give more of the name.`
      : `There is no log of agent "${given}"${all.length > 0 ? ` (there are: ${names(all)})` : '; no runs are recorded here'}. "twotrack runs" lists them.`,
  )
}

/** What stands before the number is an operation, the beginning of a run, or nothing: then the newest run is meant. */
function byNumber(all: readonly LogEntry[], of: string, number: number): LogEntry[] {
  const fits = ({ operation, run_id }: LogEntry) => of === '' || operation === of || run_id.startsWith(of)
  const found = numberedOf(all.filter(fits))[number - 1]
  return found ? [found] : []
}

/** The agents that the numbers of `lint#3` count: those of the newest run, in the order of their nodes. */
function numberedOf(entries: readonly LogEntry[]): LogEntry[] {
  const run = entries.at(-1)?.run_id
  return entries.filter(({ run_id }) => run_id === run).sort(byNode)
}

/** Those that begin with it, or else those that have it in them. Of several, the newest run's. */
function byPart(all: readonly LogEntry[], part: string): LogEntry[] {
  const beginning = all.filter(({ agent_id }) => agent_id.startsWith(part))
  const fitting = beginning.length > 0 ? beginning : all.filter(({ agent_id }) => agent_id.includes(part))
  return numberedOf(fitting)
}

/** Short names for people to type, until a newer run takes them over: `lint#3`. What a person named keeps its name. */
export const shortNames = async (store: Store): Promise<(agentId: string) => string> =>
  shortNamesIn(await store.list())

export function shortNamesIn(entries: readonly LogEntry[]): (agentId: string) => string {
  const all = entries.filter(({ agent_id, run_id }) => agent_id !== run_id)
  const names = new Map<string, string>()
  for (const operation of new Set(all.map((entry) => entry.operation)))
    for (const [at, { agent_id }] of numberedOf(
      all.filter((entry) => entry.operation === operation),
    ).entries())
      names.set(agent_id, `${operation}#${at + 1}`)
  return (agentId) => names.get(agentId) ?? agentId
}

/** The logs that a filter lets through; a run may be named by its beginning. */
export async function logsOf(store: Store, filter: LogFilter): Promise<LogEntry[]> {
  const found = await store.list(filter)
  if (found.length > 0 || filter.run_id === undefined) return found
  return store.list({ ...filter, run_id: await runNamed(store, filter.run_id) })
}

/** The run that a command is about: as it was named, or the newest. */
export async function runMeant(
  store: Store,
  { run, last }: WhichOptions,
  planned: readonly RunBegun[],
): Promise<string> {
  if (run !== undefined) return runNamed(store, run, planned)
  // One that was killed before its first agent began has no log.
  const newest = [(await store.list()).at(-1), planned.at(-1)].flatMap((one) => one ?? [])
  const { run_id } = last ? (newest.sort((a, b) => (a.created < b.created ? 1 : -1))[0] ?? {}) : {}
  if (run_id !== undefined) return run_id
  throw last
    ? new TwotrackError('missing', `No runs are recorded here. Begin with "twotrack run lint".`)
    : new TwotrackError('bad_argument', `Name the agents (${HOW}), or say --last or --run ID.`)
}

/** Throws `missing` for a run that is not known, with the nearest that is. */
async function runNamed(store: Store, given: string, planned: readonly RunBegun[] = []): Promise<string> {
  const known = [...new Set([...(await store.list()), ...planned].map(({ run_id }) => run_id))]
  if (known.includes(given)) return given
  const beginning = known.filter((id) => id.startsWith(given))
  const [only] = beginning
  if (only !== undefined && beginning.length === 1) return only
  const meant = beginning.at(-1) ?? nearest(given, known)
  throw new TwotrackError(
    'missing',
    `There is no run "${given}" here${meant === undefined ? '.' : `; did you mean ${meant}?`} "twotrack runs --json" lists them.`,
  )
}
