import { SUBMIT_TOOL } from '../../agent/submit.ts'
import type { Event } from '../../core/event/event.ts'
import { defined, type Json } from '../../core/event/json.ts'
import { speakerOf } from '../../core/packet/fold.ts'
import type { Origin, Speaker } from '../../core/packet/state.ts'
import type { Store } from '../../core/store/store.ts'
import { TwotrackError } from '../../errors.ts'
import { assertTurn, History, type TurnEnd } from '../history.ts'
import type { Answer, Source, Unseen, Why } from './answer.ts'
import { evidenceOf } from './evidence.ts'
import { type Leaf, leavesOf, leavesWith, pathOf, valueAt } from './leaves.ts'
import { marksOf } from './marks.ts'
import { originsOf } from './origin.ts'

/**
 * The source of a packet's value: a JSON pointer into the packet, or a piece of text copied from it. A text that the
 * packet of that turn does not hold is looked for in earlier ones, then in raw output. Throws `missing`.
 */
export async function why(
  store: Store,
  agentId: string,
  pointerOrText: string,
  options: { readonly turn?: number } = {},
): Promise<Why | Unseen> {
  return whyIn(await History.open(store, agentId), pointerOrText, options)
}

/** The same for a log that was read already. */
export async function whyIn(
  history: History,
  pointerOrText: string,
  options: { readonly turn?: number } = {},
): Promise<Answer> {
  const { agent_id: agentId } = history
  const turn = options.turn ?? history.lastTurn
  assertTurn(agentId, turn, history.lastTurn)
  const end = history.at(turn)
  const { leaves, wanted } = leavesAt(end, pointerOrText)
  const [leaf, ...also] = leaves
  if (leaf) return explain(history, end, leaf, also, wanted)
  if (isPointer(end, pointerOrText))
    throw new TwotrackError(
      'missing',
      `The packet of turn ${turn} has nothing at ${pointerOrText}. "replay ${agentId} --turn ${turn} --json" shows what it has.`,
    )
  return unseenText(history, end, pointerOrText)
}

async function explain(
  history: History,
  end: TurnEnd,
  leaf: Leaf,
  also: readonly Leaf[],
  wanted?: string,
): Promise<Why> {
  const last = leaf.value === null ? lastSet(history, end, leaf) : undefined
  const lastSource = last && (await sourceFrom(history, last.origin, last.before.value))
  return {
    agent_id: history.agent_id,
    turn: end.turn,
    pointer: leaf.pointer,
    value: leaf.value,
    ...(wanted === undefined || wanted === leaf.value ? {} : { asked: wanted }),
    ...(last ? { before: last.before } : {}),
    sources: lastSource ? [lastSource] : await sourcesOf(history, end, leaf, wanted),
    also: also.map(({ pointer }) => pointer),
  }
}

/** What stood last where the packet has no error or focus, and the event that emptied it. */
function lastSet(history: History, end: TurnEnd, { pointer }: Leaf) {
  const field = pointer === '/last_error' ? 'error' : pointer === '/focus' ? 'focus' : undefined
  if (field === undefined) return undefined
  for (let seq = end.seq; seq > 0; seq--) {
    const { last_error, focus } = history.after(seq)
    const held = field === 'error' ? last_error : focus && { ...focus, value: focus.value.text }
    if (held)
      return {
        before: { value: held.value, ...(seq < end.seq ? { emptied_by: seq + 1 } : {}) },
        origin: { seq: held.ref, field: `/delta/set_${field}` },
      }
  }
  return undefined
}

/** All sources of a leaf, or those of a text inside it. */
export async function sourcesOf(
  history: History,
  end: TurnEnd,
  leaf: Leaf,
  wanted?: string,
): Promise<Source[]> {
  const value = String(leaf.value)
  const all = originsOf({ leaf, end, history })
  const origins = wanted === undefined ? all : narrowed(all, value, wanted)
  const sources: Source[] = []
  for (const origin of origins) {
    const source = await sourceFrom(history, origin, origin.part ?? value)
    if (source) sources.push(source)
  }
  return sources
}

/** Who copies a line of a file asks for that line. */
function narrowed(origins: readonly Origin[], value: string, wanted: string): readonly Origin[] {
  const holding = origins.filter(({ part = value }) => part.includes(wanted))
  return holding.length === 0 ? origins : holding.map((origin) => ({ ...origin, part: wanted }))
}

async function sourceFrom(history: History, origin: Origin, value: string): Promise<Source | undefined> {
  const event = history.event(origin.seq)
  if (!event) return undefined
  const call = history.callOf(event)
  const result = event.type === 'tool_result' ? event.data : undefined
  return {
    seq: event.seq,
    turn: event.turn,
    type: event.type,
    timestamp: event.timestamp,
    said_by: saidBy(event, origin.field),
    field: origin.field,
    ...defined({ redacted: event.redacted }),
    ...defined({ part: origin.part }),
    ...(call ? { call: { seq: call.seq, tool: call.data.tool, args: call.data.args } } : {}),
    ...(result
      ? { summarizer: { name: result.summarizer, ...defined({ version: result.summarizer_version }) } }
      : {}),
    evidence: await evidenceOf(history, origin, value),
  }
}

/** The goal is a person's, whoever put it into words; what is handed in is the model's, though a tool takes it. */
function saidBy(event: Event, field: string): Speaker {
  if (event.type === 'run_start' && field === '/data/goal') return 'person'
  return event.type === 'tool_result' && event.data.tool === SUBMIT_TOOL ? 'model' : speakerOf(event)
}

/** A pointer as it is written, the longest text under one that leads to several, or the leaves with a text. */
function leavesAt({ packet }: TurnEnd, pointerOrText: string): { leaves: Leaf[]; wanted?: string } {
  const path = pathOf(pointerOrText)
  const value = path && valueAt(packet as Json, path)
  if (path === undefined || value === undefined) return leavesWith(packet, pointerOrText)
  // A fact is its value, not the numbers and the null beside it.
  const size = ({ value }: Leaf) => (typeof value === 'string' ? value.length : 0)
  return { leaves: leavesOf(value, path).sort((a, b) => size(b) - size(a)) }
}

/** Whether a text that leads nowhere was meant as a pointer: its first part is a section of the packet. */
const isPointer = ({ packet }: TurnEnd, text: string): boolean => {
  const [first] = pathOf(text) ?? []
  return first !== undefined && Object.hasOwn(packet, first)
}

/** Packets that are made anew to find a text. */
const TURNS_MAX = 400
const FOUND_MAX = 10

/** A text that the packet of a turn does not hold: the last packet before it that did, else the raw output that does. */
async function unseenText(history: History, end: TurnEnd, text: string): Promise<Answer> {
  const found = lastShown(history, end, text)
  if (found) return explain(history, found.end, found.leaf, [], found.wanted)
  const never_shown = await inRawOutput(history, end, text)
  if (never_shown.length > 0) return { agent_id: history.agent_id, text, never_shown }
  throw new TwotrackError(
    'missing',
    `Neither a packet up to turn ${end.turn} nor a raw output of agent "${history.agent_id}" holds ${JSON.stringify(text)}. ` +
      'Give a JSON pointer (/knowledge/…), or text as the packet shows it.',
  )
}

function lastShown(history: History, end: TurnEnd, text: string) {
  for (let turn = end.turn - 1; turn >= Math.max(0, end.turn - TURNS_MAX); turn--) {
    const earlier = history.at(turn)
    const { leaves, wanted } = leavesWith(earlier.packet, text)
    const [leaf] = leaves
    if (leaf) return { end: earlier, leaf, wanted }
  }
  return undefined
}

async function inRawOutput(history: History, end: TurnEnd, text: string): Promise<Unseen['never_shown']> {
  const found: Unseen['never_shown'][number][] = []
  for (const event of history.events.toReversed()) {
    if (event.seq > end.seq || event.type !== 'tool_result') continue
    const output = (await history.raw(event.seq, 'raw_output')) ?? ''
    const from = output.indexOf(text)
    if (from < 0) continue
    const { tool, summarizer } = event.data
    const marks = marksOf(output, [{ from, to: from + text.length }])
    found.push({ seq: event.seq, turn: event.turn, tool, summarizer, marks })
    if (found.length === FOUND_MAX) break
  }
  return found
}
