import type { Packet } from '../packet/packet.ts'
import type { Origin, State } from '../packet/state.ts'
import type { Claim } from './allocate.ts'
import { cutter, joinRuns, type Run, type Text } from './cut.ts'
import type { Reader } from './reader.ts'
import type { OutlineLine } from './render.ts'

/** One section of the packet: a row of the table. */
export interface Section<Entry> extends Share {
  readonly field: keyof Packet
  readonly title: string
  /** How its entries stand in the packet: as a list, by name (an entry is a pair), or one alone. */
  readonly shape: 'list' | 'record' | 'one'
  /** What it may show of a state, the most important first. */
  items(desk: Desk): readonly Item<Entry>[]
  /** An entry as the outline shows it. */
  lines(entry: Entry, packet?: Packet): readonly OutlineLine[]
}

/** What a section gets of the packet. */
export interface Share {
  /** Its part of what is divided. */
  readonly weight: number | ((state: State) => number)
  /** What it gets before others get more: in thousandths of the limit, and in tokens at least. */
  readonly floor?: number
  readonly floorTokens?: number
  /** One item for so many tokens of the limit is told in full before the others are told in short. */
  readonly tokensPerFirst?: number
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

/** Something that may be shown: one entry. */
export interface Item<Entry> {
  /** Entries stand in the order of their keys. */
  readonly key: number
  /** All of the entry, in short and then more fully. */
  readonly forms: readonly [Entry, ...Entry[]]
  /** Texts that are put into it where there is space, and whether it says nothing without one of them. */
  readonly texts?: readonly Passage<Entry>[]
  readonly needsText?: boolean
  /** The fields of events that a value inside it comes from. */
  originsOf(path: readonly string[], entry: Entry): readonly Origin[]
}

/** A text that can be cut anywhere and has a weight of its own. */
export interface Passage<Entry> {
  readonly text: Text
  readonly weight: number
  /** With fewer tokens it is not worth showing. */
  readonly least?: number
  /** So many tokens of it stand in any case. */
  readonly stands?: number
  put(entry: Entry, text: string, runs: readonly Run[]): Entry
}

/** A section with what it may show of one state, and what that would take. */
export interface Offer {
  readonly section: Section<unknown>
  /** Its items, and what each form takes. */
  readonly items: readonly (readonly [item: Item<unknown>, costs: readonly number[]])[]
  /** So many of them are told in full before the others. */
  readonly first: number
  /** Of all entries together, and of each text. */
  readonly claim: Claim
  readonly texts: readonly OfferedText[]
}
interface OfferedText extends Claim, Passage<unknown> {
  readonly least?: number
  readonly item: Item<unknown>
  fit(tokens: number): readonly Run[]
}

const TITLE_TOKENS = 4
/** What a passage takes besides its text: fences, the mark of a gap. */
const PASSAGE_TOKENS = 8

export function offerOf(section: Section<unknown>, desk: Desk): Offer {
  const { weight, floor = 0, floorTokens = 0, tokensPerFirst } = section
  const { state, reader, limit } = desk
  const costOf = (form: unknown): number =>
    section.lines(form).reduce((sum, [line]) => sum + reader.costOfLine(line), 0)
  const items: [Item<unknown>, number[]][] = []
  let [need, least] = [TITLE_TOKENS, 0]
  for (const item of section.items(desk)) {
    const costs = item.needsText ? [] : item.forms.map(costOf)
    items.push([item, costs])
    need += costs.at(-1) ?? 0
    least += costs[0] ?? 0
    // A packet can show no more.
    if (least > limit) break
  }
  return {
    section,
    items,
    first: tokensPerFirst === undefined ? 0 : Math.floor(limit / tokensPerFirst),
    claim: {
      need: need === TITLE_TOKENS ? 0 : need,
      weight: typeof weight === 'number' ? weight : weight(state),
      floor: Math.max(floorTokens, Math.floor((floor * limit) / 1000)),
    },
    texts: items.flatMap(([item]) => (item.texts ?? []).map((text) => offeredText(text, item, desk))),
  }
}

function offeredText(
  passage: Passage<unknown>,
  item: Item<unknown>,
  { reader, limit, interest }: Desk,
): OfferedText {
  const { text, stands = -PASSAGE_TOKENS } = passage
  const whole = reader.once(text.lines, costOfLines)
  const fit = cutter(text, reader.costOfLine, interest, whole)
  return {
    ...passage,
    item,
    need: Math.max(0, Math.min(whole, limit) - stands),
    fit: (tokens) => (tokens > 0 ? fit(tokens + stands) : []),
  }
}

const costOfLines = (lines: readonly string[], { costOfLine }: Reader): number =>
  lines.reduce((sum, line) => sum + costOfLine(line), 0)

/** Which form of each item is shown, -1 for none, and what they take. */
export interface Choice {
  readonly forms: readonly number[]
  readonly tokens: number
}

/** Each first in short, then more fully. */
export function choose({ items, first }: Offer, tokens: number): Choice {
  const forms = items.map(() => -1)
  let left = tokens - TITLE_TOKENS
  for (const [from, to] of [[0, first] as const, [first, items.length] as const]) {
    const fullest = Math.max(0, ...items.slice(from, to).map(([, costs]) => costs.length))
    for (let form = 0; form < fullest; form++)
      for (let at = from; at < Math.min(to, items.length); at++) {
        const [, costs = []] = items[at] ?? []
        const more = (costs[form] ?? 0) - (costs[form - 1] ?? 0)
        if (forms[at] !== form - 1 || costs[form] === undefined || more > left) continue
        forms[at] = form
        left -= more
      }
  }
  return { forms, tokens: forms.every((form) => form < 0) ? 0 : tokens - left }
}

/** An entry as it stands in a packet, and the item that it is of. */
export interface Shown {
  readonly item: Item<unknown>
  readonly entry: unknown
}

/** The entries of a section in their order: those chosen, with the texts that were given tokens. */
export function entriesShown(
  { items, texts }: Offer,
  { forms }: Choice,
  given: ReadonlyMap<Claim, number>,
): readonly Shown[] {
  const shown = new Map<Item<unknown>, unknown>()
  for (const [at, [item]] of items.entries()) {
    const form = forms[at] ?? -1
    if (form >= 0) shown.set(item, item.forms[form])
  }
  for (const passage of texts) {
    const { item, text } = passage
    const runs = passage.fit(given.get(passage) ?? 0)
    if (runs.length === 0) continue
    const entry = shown.get(item) ?? item.forms[0]
    shown.set(item, passage.put(entry, joinRuns(runs, text.lines.length), runs))
  }
  return [...shown].map(([item, entry]) => ({ item, entry })).sort((a, b) => a.item.key - b.item.key)
}

/** Entries as they stand in a packet, */
export function entriesOf({ shape }: Section<unknown>, shown: readonly Shown[]): unknown {
  const all = shown.map(({ entry }) => entry)
  if (shape === 'one') return all[0]
  return shape === 'list' ? all : Object.fromEntries(all.filter(isPair))
}

/** and back, each with its place there, */
export function entriesIn({ shape }: Section<unknown>, value: unknown): (readonly [string, unknown])[] {
  if (value === null || value === '') return []
  if (shape === 'one') return [['', value]]
  const entries = Object.entries(Object(value))
  return shape === 'list' ? entries : entries.map((pair) => [pair[0], pair])
}

/** and the events that a value in them comes from. */
export function originsIn(
  { shape }: Section<unknown>,
  shown: readonly Shown[],
  path: readonly string[],
): readonly Origin[] {
  const [first = '', ...rest] = path
  const one =
    shape === 'record'
      ? shown.find(({ entry }) => isPair(entry) && entry[0] === first)
      : shown[shape === 'one' ? 0 : Number(first)]
  return one?.item.originsOf(shape === 'one' ? path : rest, one.entry) ?? []
}

const isPair = (entry: unknown): entry is readonly [string, unknown] => Array.isArray(entry)
