import { defined } from '../core/event/json.ts'
import { byCreation, isRunLog, runLogOf } from '../core/store/log-entry.ts'
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
const NOTHING = 'No runs are recorded here. Begin with "twotrack run lint".'
/** Names that a message tells. */
const TOLD_MAX = 5
/** Runs among which the one that was meant is looked for. */
const RUNS_MAX = 1_000

/** The log that began last, of those that a filter means. */
export const newestLog = async (store: Store, filter: LogFilter = {}): Promise<LogEntry | undefined> =>
  (await store.newest(filter, { limit: 1 }))[0]

/** The agent that a command is about: as it was named, or the one that began last. */
export async function agentMeant(
  store: Store,
  given: string | undefined,
  { last }: WhichOptions,
): Promise<string> {
  if (given !== undefined) return agentNamed(store, given)
  if (!last) throw new TwotrackError('bad_argument', `Name the agent (${HOW}), or say --last.`)
  const newest = await newestLog(store)
  if (newest) return newest.agent_id
  throw new TwotrackError('missing', NOTHING)
}

/** The agents that a command is about: by name, of a run, of the newest run, or all. */
export async function agentsMeant(
  store: Store,
  given: readonly string[],
  { all, run, last }: WhichOptions,
): Promise<string[]> {
  assertOneRun(run, last)
  if (given.length > 0) {
    const named: string[] = []
    for (const one of given) named.push(await agentNamed(store, one))
    return [...new Set(named)]
  }
  if (!all && run === undefined && !last)
    throw new TwotrackError('bad_argument', `Name the agents (${HOW}), or say --last, --run ID or --all.`)
  const filter = last ? await newestRun(store) : run === undefined ? {} : { run_id: run }
  if (last && filter.run_id === undefined) throw new TwotrackError('missing', NOTHING)
  return inOrder(await logsOf(store, filter)).map(({ agent_id }) => agent_id)
}

function assertOneRun(run: string | undefined, last: boolean | undefined): void {
  if (last && run !== undefined)
    throw new TwotrackError('bad_argument', `Say either --last or --run ${run}, not both.`)
}

/**
 * Run after run as they began. Agents of one run begin side by side, so which was first is chance: their nodes say the order.
 */
export const inOrder = <Entry extends LogEntry>(logs: readonly Entry[]): Entry[] =>
  [...Map.groupBy(logs, ({ run_id }) => run_id).values()].flatMap((ofRun) => ofRun.sort(byNode))

const byNode = (one: LogEntry, other: LogEntry): number =>
  `${one.node_id}\0${one.agent_id}` < `${other.node_id}\0${other.agent_id}` ? -1 : 1

/** The run that began last. */
export const newestRun = async (store: Store): Promise<LogFilter> =>
  defined({ run_id: (await newestLog(store))?.run_id })

/** An agent by its name, by a part of it, or as `lint#3`. */
async function agentNamed(store: Store, given: string): Promise<string> {
  if (!isRunLog(given) && (await store.head(given))) return given
  const numbered = await byNumber(store, given)
  const fitting = numbered.length > 0 ? numbered : await byPart(store, given)
  const [only, ...others] = fitting
  if (only && others.length === 0) return only.agent_id
  if (only) {
    const names = fitting.slice(-TOLD_MAX).map(({ agent_id }) => agent_id)
    const more = fitting.length > TOLD_MAX ? ', …' : ''
    throw new TwotrackError(
      'missing',
      `"${given}" fits several agents: ${names.join(', ')}${more}. Give more of the name.`,
    )
  }
  const logs = await store.newest({}, { limit: TOLD_MAX + 1 })
  const names = await Promise.all(logs.slice(0, TOLD_MAX).toReversed().map(shortNames(store)))
  const there = `there are: ${names.join(', ')}${logs.length > TOLD_MAX ? ', …' : ''}`
  throw new TwotrackError(
    'missing',
    names.length > 0
      ? `There is no log of agent "${given}" (${there}). "twotrack runs" lists them.`
      : `There is no log of agent "${given}"; no runs are recorded here. Begin with "twotrack run lint".`,
  )
}

/** Numbers count on from run to run, so that `lint#3` is always the same agent. */
const numberedOf = async (store: Store, operation: string): Promise<LogEntry[]> =>
  inOrder(await store.list({ operation }))

/** The agent that `lint#3` names, if there is one. */
async function byNumber(store: Store, given: string): Promise<LogEntry[]> {
  const { operation, number } = /^(?<operation>.+)#(?<number>\d{1,6})$/.exec(given)?.groups ?? {}
  if (operation === undefined) return []
  return (await numberedOf(store, operation)).slice(Number(number) - 1, Number(number))
}

/** Those that begin with it, or else those that have it in them. Of several, the newest run's. */
async function byPart(store: Store, part: string): Promise<LogEntry[]> {
  const ways = [
    ({ agent_id }: LogEntry) => agent_id.startsWith(part),
    ({ agent_id }: LogEntry) => agent_id.includes(part),
  ]
  for (const fits of ways) {
    const newest = await newestThat(store, fits)
    if (newest) return (await store.list({ run_id: newest.run_id })).sort(byNode).filter(fits)
  }
  return []
}

/** The newest log that is like that: all go by, and one is kept. */
async function newestThat(store: Store, fits: (entry: LogEntry) => boolean): Promise<LogEntry | undefined> {
  let newest: LogEntry | undefined
  for await (const entry of store.each())
    if (!isRunLog(entry.agent_id) && fits(entry) && (!newest || byCreation(entry, newest) > 0)) newest = entry
  return newest
}

/** Short names for people to type, which stay: `lint#3`. What a person named keeps its name. */
export function shortNames(
  store: Store,
): (agent: Pick<LogEntry, 'agent_id' | 'operation'>) => Promise<string> {
  const known = new Map<string, Promise<ReadonlyMap<string, string>>>()
  return async ({ agent_id, operation }) => {
    const names = known.get(operation) ?? namesOf(store, operation)
    known.set(operation, names)
    return (await names).get(agent_id) ?? agent_id
  }
}

async function namesOf(store: Store, operation: string): Promise<ReadonlyMap<string, string>> {
  const all = await numberedOf(store, operation)
  return new Map(
    all.flatMap(({ agent_id, run_id }, at) =>
      agent_id === run_id ? [] : [[agent_id, `${operation}#${at + 1}`]],
    ),
  )
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
  planned: RunBegun | undefined,
): Promise<string> {
  assertOneRun(run, last)
  if (run !== undefined) return runNamed(store, run)
  // One that was killed before its first agent began has no log of an agent.
  const newest = [await newestLog(store), planned].flatMap((one) => one ?? [])
  const { run_id } = last ? (newest.sort((a, b) => (a.created < b.created ? 1 : -1))[0] ?? {}) : {}
  if (run_id !== undefined) return run_id
  throw last
    ? new TwotrackError('missing', NOTHING)
    : new TwotrackError('bad_argument', `Name the agents (${HOW}), or say --last or --run ID.`)
}

/** A run by its name, by the beginning of it, or by the number of one of its agents. Throws `missing`. */
async function runNamed(store: Store, given: string): Promise<string> {
  const [ofAgent] = await byNumber(store, given)
  if (ofAgent) return ofAgent.run_id
  if ((await store.head(runLogOf(given))) || (await newestLog(store, { run_id: given }))) return given
  const known = new Set<string>()
  const beginning = new Set<string>()
  for await (const { run_id } of store.each()) {
    if (known.size < RUNS_MAX) known.add(run_id)
    if (run_id.startsWith(given) && beginning.size < RUNS_MAX) beginning.add(run_id)
  }
  const [only] = beginning
  if (only !== undefined && beginning.size === 1) return only
  const meant = [...beginning].at(-1) ?? nearest(given, [...known])
  throw new TwotrackError(
    'missing',
    `There is no run "${given}" here${meant === undefined ? '.' : `; did you mean ${meant}?`} "twotrack runs --json" lists them.`,
  )
}
