import { TwotrackError } from '../../errors.ts'
import type { Json } from '../../event/json.ts'
import type { History, TurnEnd } from '../history.ts'
import type { Unseen, Why } from './answer.ts'
import { type Leaf, leavesWith } from './leaves.ts'
import { marksOf } from './marks.ts'

/** Packets that are made anew to find a text. */
const TURNS_MAX = 400
const FOUND_MAX = 10

/** A text that the packet of a turn does not hold: the last packet before it that did, else the raw output that does. */
export async function unseenText(
  history: History,
  end: TurnEnd,
  text: string,
  explain: (end: TurnEnd, leaf: Leaf, wanted: string) => Promise<Why>,
): Promise<Why | Unseen> {
  const found = lastShown(history, end, text)
  if (found) return explain(found.end, found.leaf, found.wanted)
  const never_shown = await inRawOutput(history, end, text)
  if (never_shown.length > 0) return { agent_id: history.agent_id, text, never_shown }
  throw new TwotrackError(
    'missing',
    `Neither a packet up to turn ${end.turn} nor a raw output of agent "${history.agent_id}" holds ${JSON.stringify(text)}. ` +
      'Give a JSON pointer (/knowledge/…), or text as the packet shows it.',
  )
}

interface Found {
  readonly end: TurnEnd
  readonly leaf: Leaf
  readonly wanted: string
}

function lastShown(history: History, end: TurnEnd, text: string): Found | undefined {
  let last: Found | undefined
  for (const { event, state, endsTurn } of history.folded()) {
    if (event.turn > end.turn) break
    if (!endsTurn || event.turn < end.turn - TURNS_MAX) continue
    const earlier = history.endOf(event, state)
    const { leaves, wanted } = leavesWith(earlier.packet as Json, text)
    const [leaf] = leaves
    if (leaf) last = { end: earlier, leaf, wanted }
  }
  return last
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
