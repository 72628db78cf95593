import { canonical, type Json } from '../event/json.ts'
import { EMPTY_PACKET, type Packet } from '../packet/packet.ts'
import type { Origin, State } from '../packet/state.ts'
import type { Claim } from './allocate.ts'
import { cutter, joinRuns, type Run, type Text } from './cut.ts'
import type { Reader } from './reader.ts'

/** What sections are made with. */
export interface Desk {
  readonly state: State
  readonly reader: Reader
  /** Of the packet, in tokens: nothing is counted further than that. */
  readonly limit: number
  readonly isJson: boolean
  readonly cost: (line: string) => number
  readonly interest: (line: string) => number
}

/** Something that may be shown in a section. Several may make one entry, such as a call and its output. */
export interface Item<Entry> {
  /** Entries stand in the order of their keys. */
  readonly key: number
  /** The entry with this item in it; undefined where it says nothing by itself. */
  add(entry: Entry | undefined, text: string, runs: readonly Run[]): Entry | undefined
  readonly text?: Text
  /** What it adds to an entry that others begin, as text; or what of the state all of the entry is made of. */
  readonly price?: string | object | number
  /** It takes part in the allocation by itself; items without a weight share that of their section. */
  readonly weight?: number
  readonly least?: number
  originsOf(path: readonly string[], entry: Entry): readonly Origin[]
}

/** One section of the packet. */
export interface Section<Field extends keyof Packet, Entry> {
  readonly field: Field
  readonly title: string
  /** Its part of what is divided, and of the limit, in thousandths, what it gets before others get more. */
  readonly weight: number
  readonly floor?: number
  /** What it may show of a state, the most important first. */
  items(desk: Desk): readonly Item<Entry>[]
  /** An entry as the outline shows it. */
  lines(entry: Entry, packet: Packet): readonly string[]
  /** Entries as they stand in the packet, and how they are read from there. */
  put(entries: readonly Entry[], packet: Packet): Packet[Field]
  entriesOf(packet: Packet): readonly Entry[]
}

export interface Shown {
  originsOf(path: readonly string[]): readonly Origin[]
}

/** A section with its entries' type out of sight, so that a table can hold all of them. */
export interface Row {
  readonly field: keyof Packet
  readonly title: string
  open(desk: Desk): {
    readonly claims: readonly Claim[]
    /** Puts into the packet what each claim was given tokens for. */
    show(given: readonly number[], packet: Packet): Shown
  }
  linesOf(packet: Packet): readonly string[]
}

const TITLE_TOKENS = 4
/** With less, a text is not worth cutting. */
const CUT_TOKENS_MIN = 24

export const row = <Field extends keyof Packet, Entry>(section: Section<Field, Entry>): Row => ({
  field: section.field,
  title: section.title,
  linesOf: (packet) => section.entriesOf(packet).flatMap((entry) => section.lines(entry, packet)),
  open(desk) {
    const items = section.items(desk)
    const listed = items
      .filter(({ weight }) => weight === undefined)
      .map((item) => priced(item, section, desk))
    const single = items
      .filter(({ weight }) => weight !== undefined)
      .map((item) => priced(item, section, desk))
    const claims: Claim[] = [
      {
        need: listed.reduce((sum, { need }) => sum + need, listed.length === 0 ? 0 : TITLE_TOKENS),
        weight: section.weight,
        floor: Math.floor(((section.floor ?? 0) * desk.limit) / 1000),
      },
      ...single.map(({ need, item: { weight = 0, least = 0 } }) => ({ need, weight, least })),
    ]
    return {
      claims,
      show([tokens = 0, ...given], packet) {
        const entries = new Map<number, { entry: Entry; item: Item<Entry> }>()
        const put = ({ item, fit }: Priced<Entry>, space: number): void => {
          const runs = fit(space)
          const text = joinRuns(runs, item.text?.lines.length ?? 0)
          if (item.text && runs.length === 0) return
          const before = entries.get(item.key)
          const entry = item.add(before?.entry, text, runs)
          if (entry !== undefined) entries.set(item.key, { entry, item: before?.item ?? item })
        }
        let left = tokens - TITLE_TOKENS
        for (const one of listed) {
          const isCut = one.need > left
          if (isCut && (!one.item.text || left < one.head + CUT_TOKENS_MIN)) continue
          const space = isCut ? left : one.need
          put(one, space)
          left -= space
        }
        for (const [at, one] of single.entries()) {
          const space = given[at] ?? 0
          if (space > 0 && (one.item.text ? space > one.head : space >= one.need)) put(one, space)
        }
        const sorted = [...entries].sort(([a], [b]) => a - b).map(([, shown]) => shown)
        packet[section.field] = section.put(
          sorted.map(({ entry }) => entry),
          packet,
        )
        return {
          originsOf(path) {
            // A list by the number of the entry, a record by its name, anything else as a whole.
            const value = packet[section.field]
            const isList = Array.isArray(value)
            const at = isList
              ? Number(path[0])
              : Math.max(0, Object.keys(Object(value)).indexOf(path[0] ?? ''))
            const shown = sorted[sorted.length > 1 || isList ? at : 0]
            return shown ? shown.item.originsOf(isList ? path.slice(1) : path, shown.entry) : []
          },
        }
      },
    }
  },
})

interface Priced<Entry> {
  readonly item: Item<Entry>
  /** What it takes without its text, and in all. */
  readonly head: number
  readonly need: number
  fit(tokens: number): readonly Run[]
}

function priced<Field extends keyof Packet, Entry>(
  item: Item<Entry>,
  section: Section<Field, Entry>,
  desk: Desk,
): Priced<Entry> {
  const { isJson, cost, limit, reader, interest } = desk
  const { text, price } = item
  const costOfEntry = (): number => {
    const entry = item.add(undefined, '', [])
    if (entry === undefined) return 8
    if (isJson) return reader.count(canonical(entry as Json)) + 2
    return section.lines(entry, EMPTY_PACKET).reduce((sum, line) => sum + cost(line), 0)
  }
  const head =
    typeof price === 'number'
      ? price
      : typeof price === 'string'
        ? cost(price) + 7
        : price
          ? reader.costOf(`${section.field} ${isJson}`, price, costOfEntry)
          : costOfEntry()
  if (!text) return { item, head, need: head, fit: () => [] }
  const whole = wholeCost(text, desk)
  const cut = cutter(text, cost, text.interest ?? interest, whole)
  // The goal has tokens before it asks for more: a short one needs none.
  const need = Math.max(0, head + Math.min(whole, limit))
  return { item, head, need, fit: (tokens) => cut(tokens - head) }
}

/** A long text is counted once. */
function wholeCost({ lines, part }: Text, { reader, cost, isJson }: Desk): number {
  const costOf = (): number => lines.reduce((sum, line) => sum + cost(line), 0)
  return part ? reader.costOf(`text ${isJson}`, part, costOf) : costOf()
}
