import { streamFrom, withStore } from '../../app/context.ts'
import { eventAt, rawBytes } from '../../app/events.ts'
import { agentMeant, type WhichOptions } from '../../app/names.ts'
import { patchAt } from '../../app/proposals.ts'
import { visibleJson } from '../../audit/visible.ts'
import { type ByType, byType } from '../../core/event/by-type.ts'
import type { Event, EventFor } from '../../core/event/event.ts'
import { canonical } from '../../core/event/json.ts'
import { TwotrackError } from '../../errors.ts'
import { type AgentSummary, agentSummary, standingWords, summaryWords } from '../../run/agent-summary.ts'
import { patchText } from '../../workspace/patch.ts'
import { type CommandWords, LAST_AGENT, wholeNumber } from '../command.ts'
import { type PartOptions, partOf } from '../log-parts.ts'
import type { CommonOptions } from '../options.ts'
import { type Found, paint, safe, wrapped } from '../output.ts'
import { patchLines } from '../patch-lines.ts'

interface ShowOptions extends CommonOptions, WhichOptions, PartOptions {
  readonly raw?: boolean
  readonly follow?: boolean
}

/** The story of a log: one line an event; or a part of it, one event whole, or its raw output byte for byte. */
async function showCommand(agent: string | undefined, options: ShowOptions): Promise<Found> {
  const { event: seq, raw, follow } = options
  if (raw && seq === undefined)
    throw new TwotrackError('bad_argument', '--raw shows one event: give its number with --event.')
  if (follow && seq !== undefined)
    throw new TwotrackError('bad_argument', '--follow shows all events and --event one; choose.')
  const part = await withStore(options, async (store): Promise<Found | undefined> => {
    const agentId = await agentMeant(store, agent, options)
    const some = await partOf(store, agentId, options, lineOf)
    if (some || seq === undefined) return some
    const event = await eventAt(store, agentId, seq)
    // What proposes or takes files is told as a patch too.
    const patch = patchText((await patchAt({ store }, event)).files)
    if (raw) return { bytes: patch === '' ? (await rawBytes(store, event)).bytes : Buffer.from(patch) }
    const lines = () => [visibleJson(event, 2), ...(patch === '' ? [] : patchLines(patch))]
    return { json: event, lines }
  })
  return part ?? { each: eventsOf(agent, options) }
}

const eventsOf = (agent: string | undefined, options: ShowOptions) =>
  streamFrom(options, async function* (store) {
    const agentId = await agentMeant(store, agent, options)
    const events = options.follow ? store.tail(agentId, { signal: interrupted() }) : store.read(agentId)
    let summary: AgentSummary | undefined
    let isForeign = false
    for await (const event of events) {
      summary = agentSummary(summary, event)
      if (event.type === 'run_start') isForeign = event.data.wire === 'unseen'
      yield { json: event, lines: () => [lineOf(event)] }
    }
    if (summary && !options.follow) yield { lines: () => [standingLine(summary, isForeign)] }
  })

/** How it stands, as every other command says it. A session of another program can be gone on with at any time. */
function standingLine(agent: AgentSummary, isForeign: boolean): string {
  const open = isForeign ? 'a session recorded as it goes' : 'killed, or still at work'
  const said = agent.outcome === 'open' ? open : summaryWords(agent)
  return wrapped(`${paint('bold', standingWords(agent.standing))}: ${safe(said)}`, 11, 17)
}

/** Ctrl-C is how following ends, so it is no failure. */
function interrupted(): AbortSignal {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  return stop.signal
}

function lineOf(event: Event): string {
  const seq = paint('dim', `#${event.seq}`.padStart(5))
  const redacted = event.redacted ? `${paint('yellow', 'redacted')} ` : ''
  return wrapped(`${seq} ${paint('dim', `t${event.turn}`.padStart(4))} ${redacted}${eventText(event)}`, 0, 17)
}

const OUTCOMES = {
  success: () => paint('green', 'ok   '),
  error: () => paint('red', 'error'),
  partial: () => paint('yellow', 'part '),
}

const note = ({ data }: EventFor<'correction' | 'candidates'>): string =>
  `${paint('yellow', 'note')}  ${safe(data.by)}: ${safe(data.note).slice(0, 120)}`

const pathsIn = (files: readonly { readonly path: string }[]): string =>
  files.length === 0 ? 'nothing' : safe(files.map(({ path }) => path).join(', ')).slice(0, 160)

/** What is told of an event, by its type; of others their data. */
const told: ByType<[], string> = {
  run_start: ({ data }) => `${paint('bold', 'start')} ${safe(data.goal).slice(0, 100)}`,
  turn_start: () => paint('dim', 'turn'),
  hub_update: ({ data }) => `${paint('dim', 'hub')}   ${safe(data.nodes.join(', ')).slice(0, 120)}`,
  submit_result: ({ data }) => `${paint('bold', 'result')} handed in by the ${data.by ?? 'agent'}`,
  tool_call: ({ data }) =>
    `${paint('cyan', 'call')}  ${safe(data.tool)} ${safe(canonical(data.args)).slice(0, 120)}`,
  tool_result: ({ data, delta }) =>
    `${OUTCOMES[data.outcome]()} ${safe(delta?.add_action?.[0]?.summary ?? data.tool).slice(0, 160)}`,
  model_request: ({ data }) =>
    `${paint('magenta', 'ask')}   ${safe(data.model)}, prompt of ${data.prompt_tokens} tokens`,
  model_response: ({ data }) => `${paint('magenta', 'said')}  ${safe(data.text).slice(0, 120)}`,
  run_end: ({ data: { reason, summary, failed } }) =>
    `${paint('bold', 'end')}   ${reason}${failed ? ', and failed' : ''}: ${safe(summary)}`,
  person_message: ({ data }) => `${paint('yellow', 'person')} ${safe(data.text).slice(0, 120)}`,
  correction: note,
  candidates: note,
  proposal: ({ data }) => `${paint('bold', 'proposes')} ${pathsIn(data.files)}`,
  accepted: ({ data }) => `${paint('green', 'accepted')} ${safe(data.by)}: ${pathsIn(data.files)}`,
  rejected: ({ data }) =>
    `${paint('red', 'rejected')} ${safe(data.by)}: ${pathsIn(data.files.map((path) => ({ path })))}`,
  redacted: ({ data: { by, reason, pattern, marked, raw } }) =>
    `${paint('yellow', marked.length > 0 ? 'redacts' : 'removes')} ${safe(`${pattern}, by ${by}: ${reason}`)} (${marked.length > 0 ? `events ${marked.map(({ seq }) => seq).join(', ')}` : `raw output, ${raw.length} stretches`})`.slice(
      0,
      240,
    ),
  agent_error: ({ data }) => `${paint('red', 'fault')} ${safe(data.where)}: ${safe(data.message)}`,
}

const eventText = (event: Event): string =>
  byType(told, event) ?? `${event.type} ${safe(JSON.stringify(event.data)).slice(0, 120)}`

export default {
  takes: '[agent]',
  examples: [
    'show import-run',
    'show lint#3',
    'show --last --event 3',
    'show import-run --event 12 --raw > output.txt   # the raw output, byte for byte',
    'show import-run --turns                 # one line a turn',
    'show import-run --search ECONNREFUSED   # in raw output, prompts and completions',
    'show import-run --event 12 --shown 14   # which bytes of it the packet after turn 14 shows',
    'show import-run --follow',
  ],
  options: [
    LAST_AGENT,
    ['--event <seq>', 'one event whole', wholeNumber],
    ['--raw', 'with --event: its raw output, byte for byte'],
    ['--turns', 'one line a turn instead of one an event'],
    ['--from <seq>', 'begin with this event', wholeNumber],
    ['--most <n>', 'so many events, or matches of --search', wholeNumber],
    ['--search <text>', 'where raw output, prompts and completions hold it'],
    ['--bytes <from-to>', 'with --event: these bytes of its raw output'],
    ['--shown <turn>', 'which bytes of raw output the packet after this turn shows', wholeNumber],
    ['--follow', 'go on as events are recorded'],
  ],
  call: showCommand,
} satisfies CommandWords
