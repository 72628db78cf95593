import type { Packet } from '../packet/packet.ts'
import type { Origin, State } from '../packet/state.ts'
import type { Claim } from './allocate.ts'
import { cutter, joinRuns, type Run, type Text } from './cut.ts'
import type { Reader } from './reader.ts'
import type { OutlineLine } from './render.ts'

/** One section of the packet: a row of the table. */
export interface Section<Value> extends Share {
  readonly field: keyof Packet
  readonly title: string
  /** How its values stand in the packet: as a list, by name (a value is a pair), or one alone. */
  readonly shape: 'list' | 'record' | 'one'
  /** What it may show of a state, the most important first. */
  items(desk: Desk): readonly Item<Value>[]
  /** A value as the outline shows it. */
  lines(value: Value, packet?: Packet): readonly OutlineLine[]
}

/** What a section gets of the packet. */
export interface Share {
  /** Its part of what is divided. */
  readonly weight: number | ((state: State) => number)
  /** What it gets before others get more: in thousandths of the limit, and in tokens at least. */
  readonly floor?: number
  readonly floorTokens?: number
}

/** What a section is made from. */
export interface Desk {
  readonly state: State
  readonly reader: Reader
  /** Of the packet, in tokens: nothing is counted further than that. */
  readonly limit: number
  /** How much a line speaks of the work at hand. */
  readonly interest: (line: string) => number
}

/** Something that may be shown. */
export interface Item<Value> {
  /** They stand in the order of their keys. */
  readonly key: number
  /** As it stands in short. */
  readonly value: Value
  /** What is put into that where there is space, and whether it says nothing without one of these. */
  readonly texts?: readonly Passage<Value>[]
  readonly needsText?: boolean
  /** The fields of events that a value inside it comes from. */
  originsOf(path: readonly string[], value: Value): readonly Origin[]
}

/** A text that can be cut anywhere. */
export interface Passage<Value> {
  readonly text: Text
  /** Its own; without, it gets what the items leave of their section's share. */
  readonly weight?: number
  /** With fewer tokens it is not worth showing. */
  readonly least?: number
  /** So many tokens of it stand in any case. */
  readonly stands?: number
  put(value: Value, text: string, runs: readonly Run[]): Value
}

/** The values that are shown, by the item that each is of. */
type Shown = Map<Item<unknown>, unknown>

/** What wants tokens, and shows as much as it gets. */
interface Bid extends Claim {
  show(tokens: number, shown: Shown): void
}

/** What a text takes besides itself: fences, the mark of a gap. */
const PASSAGE_TOKENS = 8

/** What a section may show of one state: its items in short are one bid, each text with a weight is another. */
export interface Offer {
  readonly row: Section<unknown>
  readonly items: readonly Item<unknown>[]
  readonly bids: readonly Bid[]
}

export function offerOf(section: Section<unknown>, desk: Desk): Offer {
  const { state, reader, limit } = desk
  const { weight, floor = 0, floorTokens = 0 } = section
  const items = section.items(desk)
  const costOf = ({ value, needsText }: Item<unknown>): number =>
    needsText ? 0 : section.lines(value).reduce((sum, [line]) => sum + reader.costOfLine(line), 0)
  let need = 0
  const counted: [Item<unknown>, number][] = []
  for (const item of items) {
    // A packet can show no more.
    if (need > limit) break
    const cost = costOf(item)
    counted.push([item, cost])
    need += cost
  }
  const texts = counted.flatMap(([item]) => (item.texts ?? []).map((text) => textBid(text, item, desk)))
  const own = texts.filter((text) => text.weight === 0)
  const show = (tokens: number, shown: Shown): void => {
    let left = tokens
    for (const [item, cost] of counted) {
      if (item.needsText || cost > left) continue
      shown.set(item, item.value)
      left -= cost
    }
    for (const text of own) {
      const more = Math.min(text.need, left)
      if (more < text.least || !shown.has(text.item)) continue
      text.show(more, shown)
      left -= more
    }
  }
  const all = own.reduce((sum, text) => sum + text.need, need)
  const claim = {
    need: all,
    weight: typeof weight === 'number' ? weight : weight(state),
    floor: Math.max(floorTokens, Math.floor((floor * limit) / 1000)),
  }
  const bids = [{ ...claim, show }, ...texts.filter((text) => text.weight > 0)]
  return { row: section, items, bids }
}

function textBid(passage: Passage<unknown>, item: Item<unknown>, { reader, limit, interest }: Desk) {
  const { text, weight = 0, least = 0, stands = -PASSAGE_TOKENS, put } = passage
  const whole = reader.once(text.lines, costOfLines)
  const fit = cutter(text, reader.costOfLine, interest, whole)
  const need = Math.max(0, Math.min(whole, limit) - stands)
  const show = (tokens: number, shown: Shown): void => {
    const runs = tokens > 0 ? fit(tokens + stands) : []
    if (runs.length > 0)
      shown.set(item, put(shown.get(item) ?? item.value, joinRuns(runs, text.lines.length), runs))
  }
  return { item, need, weight, least: Math.min(least, need), show }
}

const costOfLines = (lines: readonly string[], { costOfLine }: Reader): number =>
  lines.reduce((sum, line) => sum + costOfLine(line), 0)

/** Values as they stand in a packet, */
export function asField({ shape }: Section<unknown>, values: readonly unknown[]): unknown {
  if (shape === 'one') return values[0]
  return shape === 'list' ? values : Object.fromEntries(values.filter(isPair))
}

/** where one of them stands there, */
export function placeIn({ shape }: Section<unknown>, value: unknown, at: number): string[] {
  if (shape === 'one') return []
  return [shape === 'record' && isPair(value) ? String(value[0]) : String(at)]
}

/** and back, each with its place. */
export function entriesIn({ shape }: Section<unknown>, value: unknown): (readonly [string, unknown])[] {
  if (value === null || value === '') return []
  if (shape === 'one') return [['', value]]
  const entries = Object.entries(Object(value))
  return shape === 'list' ? entries : entries.map((pair) => [pair[0], pair])
}

const isPair = (value: unknown): value is readonly [string, unknown] => Array.isArray(value)
