import type { DataOf, Event, EventFor } from '../core/event/event.ts'
import { entryOf } from '../core/store/log-entry.ts'
import type { LogEntry, Store } from '../core/store/store.ts'
import { ownMessage } from '../errors.ts'

/** How an agent stands, in one word that every front says: why it failed, and what a person made of what it did. */
export type Standing = AgentSummary['standing']

/** One answer, for every front, to what became of an agent: a fold of its log. */
export interface AgentSummary extends LogEntry {
  /**
   * What became of an agent. `open`: at work, or killed. `failed`: it ended without a result, or what it handed in does not
   * hold (`fails_when` of its definition). `damaged`: the log can't be read to its end; `verify` says more.
   */
  readonly outcome: 'open' | 'done' | 'failed' | 'damaged'
  readonly standing:
    | 'problems_left'
    | 'accepted'
    | 'rejected'
    | AgentSummary['outcome']
    | EventFor<'run_end'>['data']['reason']
  /** Why it ended; absent while it is open. */
  readonly reason?: EventFor<'run_end'>['data']['reason']
  /** What it handed in, or why it ended. */
  readonly summary: string
  /** What a model said of its result; absent where the agent's own rules did. */
  readonly claim?: string
  /** Problems that were left at its end, as its own check counts them. */
  readonly problems: number
  /** When the agent did something last. */
  readonly last: string
  readonly events: number
  readonly turns: number
  readonly calls: number
  readonly failed_calls: number
  /** Of all tool results together. */
  readonly raw_bytes: number
  /** Of the agent's own turns, as they were counted before they were sent. */
  readonly prompt_tokens: number
  readonly prompt_tokens_max: number
  /** As the model's server says. */
  readonly completion_tokens: number
  readonly answer_ms: number
  readonly tool_ms: number
  /** 0 of a recording without times. From the first event to the last thing that the agent did. */
  readonly wall_ms: number
}

/** What becomes of a proposal, of raw output, or of a person's words afterwards does not make an agent go on. */
const AT_WORK: ReadonlySet<Event['type']> = new Set([
  'run_start',
  'turn_start',
  'model_request',
  'model_response',
  'tool_call',
  'tool_result',
])

/** The summary after one more event. Pure. */
export function agentSummary(before: AgentSummary | undefined, event: Event): AgentSummary {
  const { seq: events, turn: turns, type, data } = event
  const known = { ...(before ?? begun(event)), events, turns }
  if (type === 'run_end') return ended({ ...known, ...until(known, event) }, data)
  if (type === 'submit_result' && data.by === 'model') return { ...known, claim: data.summary }
  if (known.outcome === 'done' && known.standing !== 'accepted' && isDecision(event))
    return { ...known, standing: event.type }
  if (!AT_WORK.has(type)) return known
  const { reason: _, claim: __, ...open } = known
  return counted({ ...open, ...until(known, event), outcome: 'open', standing: 'open', problems: 0 }, event)
}

/** What was taken in part counts as taken. */
const isDecision = (event: Event): event is EventFor<'accepted' | 'rejected'> =>
  (event.type === 'accepted' || event.type === 'rejected') && event.data.files.length > 0

const until = ({ created }: AgentSummary, { timestamp: last }: Event) => ({
  last,
  wall_ms: Math.max(0, Date.parse(last) - Date.parse(created)),
})

const begun = (first: Event): AgentSummary => nothingYet(entryOf(first))

function nothingYet(entry: LogEntry): AgentSummary {
  const nothing = { events: 0, turns: 0, calls: 0, failed_calls: 0, raw_bytes: 0, wall_ms: 0 }
  const unasked = { prompt_tokens: 0, prompt_tokens_max: 0, completion_tokens: 0, answer_ms: 0, tool_ms: 0 }
  const open = { outcome: 'open', standing: 'open', summary: '', problems: 0 } as const
  return { ...entry, ...open, last: entry.created, ...nothing, ...unasked }
}

const TURN_MS_MIN = 500

/** A recording without times of its own has those of its import, which say nothing of the run. */
export const isTimeless = (reason: string, wall_ms: number, turns: number): boolean =>
  reason === 'imported' && wall_ms < turns * TURN_MS_MIN

/** Nobody here checked what a recording came to. */
const DONE = { submitted: 'done', imported: 'imported' } as const

const ended = (
  known: AgentSummary,
  { reason, summary, failed, problems = 0 }: DataOf<'run_end'>,
): AgentSummary => {
  const wall_ms = isTimeless(reason, known.wall_ms, known.turns) ? 0 : known.wall_ms
  const told = { ...known, reason, summary, problems, wall_ms }
  const handedIn = reason === 'submitted' || reason === 'imported'
  if (handedIn && !failed)
    return { ...told, outcome: 'done', standing: problems > 0 ? 'problems_left' : DONE[reason] }
  return { ...told, outcome: 'failed', standing: handedIn ? 'failed' : reason }
}

function counted(known: AgentSummary, event: Event): AgentSummary {
  switch (event.type) {
    case 'model_request': {
      const { purpose, prompt_tokens: tokens } = event.data
      if (purpose !== 'turn') return known
      const prompt_tokens_max = Math.max(known.prompt_tokens_max, tokens)
      return { ...known, prompt_tokens: known.prompt_tokens + tokens, prompt_tokens_max }
    }
    case 'model_response': {
      const { usage, latency_ms = 0 } = event.data
      const completion_tokens = known.completion_tokens + (usage?.completion_tokens ?? 0)
      return { ...known, completion_tokens, answer_ms: known.answer_ms + latency_ms }
    }
    case 'tool_result': {
      const { outcome, output_bytes, duration_ms = 0 } = event.data
      return {
        ...known,
        calls: known.calls + 1,
        failed_calls: known.failed_calls + (outcome === 'error' ? 1 : 0),
        raw_bytes: known.raw_bytes + output_bytes,
        tool_ms: known.tool_ms + duration_ms,
      }
    }
    default:
      return known
  }
}

/** Folds a log, and gives each event to whoever wants to know more in the same pass. Damage is told, not thrown. */
export async function readAgentSummary(
  store: Store,
  entry: LogEntry,
  onEvent: (event: Event) => void = () => {},
): Promise<AgentSummary> {
  let summary: AgentSummary | undefined
  try {
    for await (const event of store.read(entry.agent_id, { raw: false })) {
      summary = agentSummary(summary, event)
      onEvent(event)
    }
  } catch (thrown) {
    const damaged = { outcome: 'damaged', standing: 'damaged', summary: ownMessage(thrown) } as const
    return { ...(summary ?? nothingYet(entry)), ...damaged }
  }
  return summary ?? nothingYet(entry)
}

/** Why the work of an agent is not whole; undefined when it ended with a result, or nobody can tell. */
export function unfinished({ outcome, reason }: AgentSummary): string | undefined {
  if (outcome === 'damaged' || reason === 'submitted') return undefined
  return reason === undefined ? 'killed, or still at work' : `ended with ${reason}`
}

/** What is said of how it stands: `turn_limit` is `turn limit`. */
export const standingWords = (standing: Standing | 'nothing_to_do'): string => standing.replaceAll('_', ' ')

/** How many agents stand how, in the same words wherever they are counted. */
export function countWords(counts: {
  readonly done: number
  readonly problems_left: number
  readonly failed: number
  readonly open: number
}): string {
  const { done, problems_left, failed, open } = counts
  const words = (number: number, what: string) => `${number.toLocaleString('en-US')} ${what}`
  return [
    words(done, 'done'),
    ...(problems_left > 0 ? [words(problems_left, 'with problems left')] : []),
    words(failed, 'failed'),
    ...(open > 0 ? [words(open, 'open')] : []),
  ].join(', ')
}

/** Its summary; where that is a model's word, it is said to be one. */
export function summaryWords({ summary, claim }: Pick<AgentSummary, 'summary' | 'claim'>): string {
  if (claim === undefined) return summary
  return claim === summary ? `it claims: ${claim}` : `${summary} It claims: ${claim}`
}
