import { diffArrays } from 'diff'
import { type ByType, byType } from '../../core/event/by-type.ts'
import type { Event } from '../../core/event/event.ts'
import { canonical, defined } from '../../core/event/json.ts'
import { redactedIn } from '../../core/event/redacted.ts'
import { bytesOfField } from '../../core/memory/blobs.ts'
import type { Packet } from '../../core/packet/packet.ts'
import type { Store } from '../../core/store/store.ts'
import { TwotrackError } from '../../errors.ts'
import type { InspectedLog } from './log.ts'
import { type PacketLine, type ShownOutput, textsOf } from './packet.ts'

/** One event of a turn, as a person reads it. */
export interface TurnStep {
  readonly seq: number
  readonly type: Event['type']
  readonly title: string
  readonly text: string
  readonly outcome?: 'success' | 'error' | 'partial'
  readonly ms?: number
  /** Of its output. */
  readonly bytes?: number
  /** Texts of it were taken out: marks stand in their place. */
  readonly redacted?: true
  /** Parts that can be looked at byte by byte. */
  readonly parts: readonly string[]
}

/** A line of the packet before or of this one. */
export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed'
  readonly text: string
}

/** What a model was shown in one turn, and what came of it. */
export interface InspectedTurn {
  readonly turn: number
  readonly seq: number
  readonly tokens: number
  /** Events among those that the packet was made of out of which texts were taken. */
  readonly redacted: readonly number[]
  readonly lines: readonly PacketLine[]
  readonly diff: readonly DiffLine[]
  readonly shown: readonly ShownOutput[]
  readonly instructions: string
  readonly declarations: string
  readonly packet: Pick<Packet, 'plan' | 'changed' | 'diagnostics' | 'omitted' | 'knowledge'> & {
    readonly files: readonly { readonly path: string; readonly text: string }[]
  }
  readonly steps: readonly TurnStep[]
}

export async function inspectedTurn(log: InspectedLog, turn: number): Promise<InspectedTurn> {
  const { history } = log
  if (!(turn >= 0 && turn <= history.lastTurn))
    throw new TwotrackError('missing', `There are turns 0 to ${history.lastTurn}; there is no turn ${turn}.`)
  const { packet, ...rest } = await log.packet(turn)
  // Of the turn before the text is enough: where each line comes from is most of the work.
  const before = turn > 0 ? textsOf(log.decision(turn - 1)) : []
  const { plan, changed, diagnostics, omitted, knowledge, files } = packet
  return {
    ...rest,
    redacted: redactedIn(history.events.slice(0, rest.seq)),
    diff: diffOfLines(
      before,
      rest.lines.map(({ text }) => text),
    ),
    packet: { plan, changed, diagnostics, omitted, knowledge, files: files.map(wholeOf) },
    steps: await stepsOf(log, turn),
  }
}

const wholeOf = ({ path, regions }: Packet['files'][number]) => ({
  path,
  text: regions.map(({ from, text }) => (from > 1 ? `⋮ from line ${from}\n${text}` : text)).join('\n'),
})

export const diffOfLines = (before: string[], after: string[]): DiffLine[] =>
  diffArrays(before, after).flatMap(({ value, added, removed }) =>
    value.map((text) => ({ kind: added ? ('added' as const) : removed ? 'removed' : 'same', text })),
  )

const TEXT_CHARS_MAX = 2_000

async function stepsOf({ history }: InspectedLog, turn: number): Promise<TurnStep[]> {
  const { store, agent_id, events } = history
  const steps: TurnStep[] = []
  const from = events.findIndex((event) => event.turn === turn) + 1
  if (from === 0) return steps
  for await (const event of store.read(agent_id, { from, to: history.endOfTurn(turn) })) {
    const told = byType(titles, event)
    if (!told) continue
    const { seq, type } = event
    const marked = event.redacted ? { redacted: true as const } : {}
    const text = told.text.slice(0, TEXT_CHARS_MAX)
    steps.push({ seq, type, ...told, ...marked, text, parts: partsOf(store, event) })
  }
  return steps
}

const PARTS: Partial<Record<Event['type'], readonly string[]>> = {
  tool_result: ['raw_output', 'log'],
  tool_call: ['args'],
  model_request: ['prompt'],
  model_response: ['text', 'completion'],
  agent_error: ['completion', 'stack'],
  escalation: ['bundle', 'completion'],
  submit_result: ['result'],
}

/** Parts of an event that can be looked at byte by byte; none that was pruned. */
export const partsOf = (store: Store, event: Event): string[] =>
  (PARTS[event.type] ?? []).filter((part) => bytesOfField(store, event, part) !== undefined)

type Told = Pick<TurnStep, 'title' | 'text'> & Partial<TurnStep>

const pathsIn = (files: readonly { readonly path: string }[]): string =>
  files.map(({ path }) => path).join('\n')

/** What is told of an event; nothing of those that only mark a beginning. */
const titles: ByType<[], Told> = {
  run_start: ({ data }) => ({ title: 'The goal', text: data.goal }),
  person_message: ({ data }) => ({ title: 'The person says', text: data.text }),
  hub_update: ({ data }) => ({ title: 'The hub tells of', text: data.nodes.join(', ') }),
  candidates: ({ data }) => ({ title: `Note (${data.by})`, text: data.note }),
  model_request: ({ data }) => ({
    title: `Asks ${data.model}`,
    text: `${data.prompt_tokens} tokens, ${data.format}`,
  }),
  model_response: ({ data }) => ({
    title: data.text === '' ? 'The model answers' : 'The model says',
    text: data.text,
    ...defined({ ms: data.latency_ms }),
  }),
  tool_call: ({ data }) => ({ title: data.tool, text: argsLine(data.args) }),
  tool_result: ({ data, delta }) => ({
    title: data.tool,
    text: delta?.add_action?.[0]?.summary ?? data.error ?? data.outcome,
    outcome: data.outcome,
    bytes: data.output_bytes,
    ...defined({ ms: data.duration_ms }),
  }),
  agent_error: ({ data }) => ({
    title: `Fault of the ${data.where}`,
    text: data.message,
    outcome: 'error',
  }),
  escalation: ({ data }) => ({
    title: data.answer === undefined ? 'Asks for help' : `Advice of ${data.model ?? 'a person'}`,
    text: data.answer ?? data.reason,
  }),
  correction: ({ data }) => ({ title: `${data.by} corrects`, text: data.note }),
  submit_result: ({ data }) => ({ title: 'Hands in', text: data.summary }),
  proposal: ({ data }) => ({ title: 'Proposes changes', text: pathsIn(data.files) }),
  accepted: ({ data }) => ({ title: `Accepted by ${data.by}`, text: pathsIn(data.files) }),
  rejected: ({ data }) => ({ title: `Rejected by ${data.by}`, text: data.files.join('\n') }),
  redacted: ({ data }) => ({ title: `${data.by} redacts ${data.pattern}`, text: data.reason }),
  run_end: ({ data }) => ({
    title: `Ends: ${data.reason}`,
    text: data.summary,
    outcome: data.failed ? 'error' : 'success',
  }),
}

/** Arguments on one line: a text that comes first as it is, and what else there is by its name. */
function argsLine(args: unknown): string {
  if (typeof args !== 'object' || args === null) return String(args)
  return Object.entries(args)
    .map(([name, value], at) => {
      if (typeof value !== 'string') return `${name}=${canonical(value)}`
      return at === 0 ? value : `${name}=${value}`
    })
    .join(' ')
}
