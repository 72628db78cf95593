import { withAgent, withStore } from '../../app/context.ts'
import { folderOf } from '../../app/job.ts'
import { agentMeant, agentsMeant, type WhichOptions } from '../../app/names.ts'
import { patchAt } from '../../app/proposals.ts'
import { assertTurn, type ByType, byType, History } from '../../audit/history.ts'
import { transcriptMarkdown, transcriptOf, transcriptText } from '../../audit/transcript.ts'
import { visibleLine } from '../../audit/visible.ts'
import type { Event, EventFor } from '../../core/event/event.ts'
import { canonical } from '../../core/event/json.ts'
import { fieldOf } from '../../core/memory/blobs.ts'
import { messagesOf } from '../../core/memory/messages.ts'
import { diffPackets } from '../../core/packet/diff.ts'
import type { State } from '../../core/packet/state.ts'
import type { Store } from '../../core/store/store.ts'
import { TwotrackError } from '../../errors.ts'
import { patchText } from '../../workspace/patch.ts'
import type { CommonOptions } from '../options.ts'
import { type Found, paint, print, printJson, safe, wrapped } from '../output.ts'
import { printPatch } from './changes.ts'

export interface ShowOptions extends CommonOptions, WhichOptions {
  readonly event?: number
  readonly raw?: boolean
  readonly follow?: boolean
}

/** The story of a log: one line an event; or one event whole, or its raw output byte for byte. */
export async function showCommand(agent: string | undefined, options: ShowOptions): Promise<number> {
  if (options.raw && options.event === undefined)
    throw new TwotrackError('bad_argument', '--raw shows one event: give its number with --event.')
  if (options.follow && options.event !== undefined)
    throw new TwotrackError('bad_argument', '--follow shows all events and --event one; choose.')
  return withStore(options, async (store, { config, root }) => {
    const agentId = await agentMeant(store, agent, options)
    const place = { store, folder: folderOf(config, root) }
    if (options.event !== undefined) return showEvent(place, agentId, options.event, options)
    const events = options.follow ? store.tail(agentId, { signal: interrupted() }) : store.read(agentId)
    for await (const event of events) print(options.json ? JSON.stringify(event) : lineOf(event))
    return 0
  })
}

/** Ctrl-C is how following ends, so it is no failure. */
function interrupted(): AbortSignal {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  return stop.signal
}

/** What proposes or takes files is told as a patch too. */
async function showEvent(
  place: { readonly store: Store; readonly folder: string },
  agentId: string,
  seq: number,
  options: ShowOptions,
): Promise<number> {
  const { store } = place
  for await (const event of store.read(agentId, { from: seq, to: seq })) {
    const patch = patchText((await patchAt(place, event)).files)
    if (options.raw) {
      const raw =
        (patch || undefined) ??
        (await fieldOf(store, event, 'raw_output')) ??
        (await fieldOf(store, event, 'prompt'))
      if (raw === undefined)
        throw new TwotrackError('missing', `Event ${seq} (${event.type}) has no raw output.`)
      process.stdout.write(raw instanceof Uint8Array ? raw : typeof raw === 'string' ? raw : canonical(raw))
    } else if (options.json) printJson(event)
    else {
      print(JSON.stringify(event, null, 2))
      if (patch) printPatch(patch)
    }
    return 0
  }
  const head = await store.head(agentId)
  throw new TwotrackError(
    'missing',
    `Agent "${agentId}" has events 1 to ${head?.seq ?? 0}; there is no event ${seq}.`,
  )
}

function lineOf(event: Event): string {
  const seq = paint('dim', `#${event.seq}`.padStart(5))
  return wrapped(`${seq} ${paint('dim', `t${event.turn}`.padStart(4))} ${describe(event)}`, 0, 17)
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
  agent_error: ({ data }) => `${paint('red', 'fault')} ${safe(data.where)}: ${safe(data.message)}`,
}

const describe = (event: Event): string =>
  byType(told, event) ?? `${event.type} ${safe(JSON.stringify(event.data)).slice(0, 120)}`

const LINES_MAX_DEFAULT = 40

export interface TranscriptCommandOptions extends CommonOptions, WhichOptions {
  readonly format?: 'text' | 'markdown'
  readonly lines?: number
  readonly full?: boolean
}

/** The conversation as a person reads it; with `--json` a line for each part, whole. */
export async function transcriptCommand(
  agent: string | undefined,
  options: TranscriptCommandOptions,
): Promise<number> {
  const { json, full, lines: lines_max = LINES_MAX_DEFAULT, format } = options
  return withAgent(agent, options, async (store, agentId) => {
    const render = format === 'markdown' ? transcriptMarkdown : transcriptText
    let turn = 0
    if (format === 'markdown' && !json) print(`# ${visibleLine(agentId)}\n`)
    for await (const part of transcriptOf(store, agentId, json || full ? {} : { lines_max })) {
      print(json ? JSON.stringify(part) : `${render(part, part.turn !== turn)}\n`)
      turn = part.turn
    }
    return 0
  })
}

export interface ExportOptions extends CommonOptions, WhichOptions {
  readonly format: 'events' | 'messages'
}

/** Writes logs to standard output: events with their blobs put back, one a line, or the chat transcript. */
export async function exportCommand(agents: readonly string[], options: ExportOptions): Promise<number> {
  return withStore(options, async (store) => {
    for (const agentId of await agentsMeant(store, agents, options)) {
      if (options.format === 'messages') printJson(await messagesOf(store, agentId))
      else for await (const event of store.read(agentId)) print(JSON.stringify(await whole(store, event)))
    }
    return 0
  })
}

async function whole(store: Store, event: Event): Promise<unknown> {
  const fields = await Promise.all(
    Object.keys(event.raw?.blobs ?? {}).map(async (field) => {
      const value = await fieldOf(store, event, field)
      return [field, value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value]
    }),
  )
  const { blobs: _, ...inline } = event.raw ?? {}
  return { ...event, ...(event.raw ? { raw: { ...inline, ...Object.fromEntries(fields) } } : {}) }
}

export interface ReplayOptions extends CommonOptions, WhichOptions {
  readonly turn?: number
  readonly seq?: number
  readonly views?: boolean
}

/** The packet as it was at a turn or an event, folded from the log alone. */
export async function replayCommand(
  agent: string | undefined,
  options: ReplayOptions,
): Promise<Found | number> {
  const { turn, seq, views } = options
  if ([turn, seq, views].filter((choice) => choice !== undefined).length > 1)
    throw new TwotrackError('bad_argument', '--turn, --seq and --views each choose what to show; give one.')
  return withAgent(agent, options, async (store, agentId) => {
    const history = await History.open(store, agentId)
    if (views) {
      for (const { event, state, endsTurn } of history.folded())
        if (endsTurn && event.turn > 0)
          print(JSON.stringify({ turn: state.turn, view: history.promptOf(state).text }))
      return 0
    }
    assertTurn(agentId, turn, history.lastTurn)
    const state = seq === undefined ? history.at(turn ?? history.lastTurn).state : stateAfter(history, seq)
    const { packet, text, tokens } = history.promptOf(state)
    const { prompt_budget, packet_size_limit } = state.settings
    const used = `${tokens} tokens with tools, of ${prompt_budget}; packet limit ${packet_size_limit}`
    return { json: packet, lines: () => [`${text}\n${paint('dim', `\n${used}`)}`] }
  })
}

function stateAfter(history: History, seq: number): State {
  for (const { event, state } of history.folded()) if (event.seq === seq) return state
  throw new TwotrackError(
    'missing',
    `Agent "${history.agent_id}" has events 1 to ${history.events.length}; there is no event ${seq}.`,
  )
}

export interface DiffOptions extends CommonOptions, WhichOptions {
  readonly from: number
  readonly to: number
}

/** What changed in the packet between two turns. */
export async function diffCommand(agent: string | undefined, options: DiffOptions): Promise<Found> {
  return withAgent(agent, options, async (store, agentId) => {
    const history = await History.open(store, agentId)
    for (const turn of [options.from, options.to]) assertTurn(agentId, turn, history.lastTurn)
    const changes = diffPackets(history.at(options.from).packet, history.at(options.to).packet)
    return {
      json: changes,
      lines: () => [
        changes.length === 0 && 'The packets are the same.',
        ...changes.flatMap(({ path, before, after }) => [
          before !== undefined && paint('red', `- ${safe(path)}: ${safe(JSON.stringify(before))}`),
          after !== undefined && paint('green', `+ ${safe(path)}: ${safe(JSON.stringify(after))}`),
        ]),
      ],
    }
  })
}
