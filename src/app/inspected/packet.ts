import type { History, TurnEnd } from '../../audit/history.ts'
import type { How, Source } from '../../audit/why/answer.ts'
import { type Leaf, leavesOf, pathOf, valueAt } from '../../audit/why/leaves.ts'
import { shownBytes } from '../../audit/why/shown.ts'
import { sourcesOf } from '../../audit/why/why.ts'
import type { Json } from '../../core/event/json.ts'
import type { Packet } from '../../core/packet/packet.ts'
import type { Speaker } from '../../core/packet/state.ts'
import { promptFrom, viewOf } from '../../core/view/prompt.ts'
import type { OutlineLine } from '../../core/view/render.ts'
import { linesOf } from '../../core/view/view.ts'

/** Where a line of a packet stands in what was recorded. */
interface LineOrigin {
  readonly seq: number
  readonly turn: number
  /** `raw_output` or `args`, or a JSON pointer into the event. */
  readonly part: string
  readonly how: How
  readonly by: Speaker
  /** Places in that part, in bytes. */
  readonly marks: readonly (readonly [from: number, to: number])[]
}

export interface PacketLine {
  readonly text: string
  readonly origin?: LineOrigin
}

/** Which bytes of an output a packet showed, as they stand there or in other wrapping. */
export interface ShownOutput {
  readonly seq: number
  readonly marks: readonly (readonly [from: number, to: number])[]
}

/** The packet that the calls of a turn were chosen with. */
export interface ShownPacket {
  readonly turn: number
  /** The last event that it was made of. */
  readonly seq: number
  /** Of the packet alone, which is what has a limit; a prompt has instructions and tools as well. */
  readonly tokens: number
  readonly packet: Packet
  readonly lines: readonly PacketLine[]
  readonly shown: readonly ShownOutput[]
  readonly instructions: string
  readonly declarations: string
}

export function decisionOf(history: History, turn: number): TurnEnd {
  const seq = history.beforeCallsOf(turn)?.seq ?? history.endOfTurn(turn)
  const state = history.after(seq)
  return { turn, seq, state, ...viewOf(state, history.reader) }
}

/** Made line by line; the view says what each shows, and that is traced to the bytes behind it. */
export async function shownPacket(history: History, end: TurnEnd): Promise<ShownPacket> {
  const { turn, seq, state } = end
  const { body, packet, instructions, declarations } = promptFrom(end.packet, state, history.reader)
  const lines: PacketLine[] = []
  for (const line of linesOf(packet, state.settings)) {
    const [text] = line
    const found = shownBy(packet, line)
    const origin = found && originOf(history, await sourcesOf(history, end, found.leaf, found.wanted))
    lines.push(origin ? { text, origin } : { text })
  }
  const shown = (await shownBytes(history, end)).map((output) => ({
    seq: output.seq,
    marks: output.shown.map(({ from, to }) => [from, to] as const),
  }))
  return { turn, seq, tokens: history.reader.count(body), packet, lines, shown, instructions, declarations }
}

/** The lines alone. */
export const textsOf = ({ packet, state }: TurnEnd): string[] =>
  linesOf(packet, state.settings).map(([text]) => text)

/** Where the view left lines out, and how many: its own words. */
const GAP = /^\s*⋮(?: \d+ lines?)?$/
/** A line without a word of its own stands everywhere: it is traced no further. */
const TELLING = /[\p{L}\p{N}]{2}|[\p{L}\p{N}].*[^\s\w]/u

/** The value that a line shows, of several the longest, and what of it. */
function shownBy(
  packet: Packet,
  [text, pointer, part]: OutlineLine,
): { leaf: Leaf; wanted?: string } | undefined {
  const path = pointer === undefined ? undefined : pathOf(pointer)
  const value = path && valueAt(packet as Json, path)
  if (!path || value === undefined || !TELLING.test(text) || GAP.test(text)) return undefined
  const leaves = leavesOf(value, path).sort((a, b) => String(b.value).length - String(a.value).length)
  const [leaf] = leaves
  if (!leaf) return undefined
  return part !== undefined && part !== leaf.value && String(leaf.value).includes(part)
    ? { leaf, wanted: part }
    : { leaf }
}

const MARKS_MAX = 24

/** The nearest of several: what stands there as it is, else what it was made of. */
function originOf(history: History, sources: readonly Source[]): LineOrigin | undefined {
  const all = sources.flatMap(({ evidence, said_by }) => evidence.map((one) => ({ ...one, by: said_by })))
  const marked = all.filter(({ marks }) => marks.length > 0)
  const best = marked.find(({ how }) => how === 'verbatim') ?? marked[0] ?? all[0]
  if (!best) return undefined
  const marks = best.marks.slice(0, MARKS_MAX).map(({ from, to }) => [from, to] as const)
  const { seq, part, how, by } = best
  return { seq, turn: history.event(seq)?.turn ?? 0, part, how, by, marks }
}
