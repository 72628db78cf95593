import { canonical, type Json } from '../event/json.ts'
import { EMPTY_PACKET, type Packet } from '../packet/packet.ts'
import type { Origin, State } from '../packet/state.ts'
import type { Claim } from './allocate.ts'
import { cutter, GOAL, joinRuns, type Run, type Text } from './cut.ts'
import type { Reader } from './reader.ts'
import type { OutlineLine } from './render.ts'

/** What sections are made with. */
export interface Desk {
  readonly state: State
  readonly reader: Reader
  /** Of the packet, in tokens: nothing is counted further than that. */
  readonly limit: number
  readonly isJson: boolean
  readonly interest: (line: string) => number
  /** The folder that is left out of the names of files. */
  readonly root: string
}

/** Something that may be shown in a section. Several may make one entry, such as a call and its output. */
export interface Item<Entry> {
  /** Entries stand in the order of their keys. */
  readonly key: number
  /** The entry with this item in it; undefined where it says nothing by itself. */
  add(entry: Entry | undefined, text: string, runs: readonly Run[]): Entry | undefined
  readonly text?: Text
  /** What it costs besides its text, unless that is to be found from the entry: for a text that it puts in, or a number. */
  readonly head?: string | number
  /** The part of the state that all of its entry follows from: its cost is counted once. */
  readonly part?: object
  /** It takes part in the allocation by itself; items without a weight share that of their section. */
  readonly weight?: number
  readonly least?: number
  originsOf(path: readonly string[], entry: Entry): readonly Origin[]
}

/** One section of the packet. */
export interface Section<Entry> {
  readonly field: keyof Packet
  /** How its entries stand in the packet: as a list, by name (an entry is a pair), or one alone. */
  readonly shape: 'list' | 'record' | 'one'
  readonly title: string
  /** Its part of what is divided, and of the limit, in thousandths, what it gets before others get more. */
  readonly weight: number
  readonly floor?: number
  /** A floor in tokens, for packets whose thousandths would be too few for a sentence. */
  readonly least?: number
  /** What it may show of a state, the most important first. */
  items(desk: Desk): readonly Item<Entry>[]
  /** An entry as the outline shows it. */
  lines(entry: Entry, packet: Packet): readonly OutlineLine[]
}

/** A section with its entries' type out of sight, so that a table can hold all of them. */
export interface Row {
  readonly field: keyof Packet
  readonly title: string
  open(desk: Desk): {
    /** Of the entries that share the section's tokens, and of the texts and others that have their own. */
    readonly list: Claim
    readonly singles: readonly Claim[]
    /** What of so many tokens the first take: entries are shown as they are or not at all. */
    taken(tokens: number): number
    /** What is shown where each was given so many tokens; no value where that is nothing. */
    show(tokens: number, given: readonly number[]): { readonly value?: unknown; originsOf: Origins }
  }
  /** Its lines, and where in the packet each stands. */
  outline(packet: Packet): readonly OutlineLine[]
}
type Origins = (path: readonly string[]) => readonly Origin[]

const TITLE_TOKENS = 4
/** With less, a text is not worth cutting. */
const CUT_TOKENS_MIN = 24

export function row<Entry>(section: Section<Entry>): Row {
  const { field, shape, title, weight, floor = 0, least = 0 } = section
  return {
    field,
    title,
    outline(packet) {
      // A row reads back what it put there itself.
      const entries = entriesIn(packet[field], shape) as [string, Entry][]
      return entries.flatMap(([at, entry]) => {
        const place = `/${field}${at === '' ? '' : `/${escaped(at)}`}`
        return section
          .lines(entry, packet)
          .map(([text, path, part]): OutlineLine => [text, path ? `${place}/${path}` : place, part])
      })
    },
    open(desk) {
      const items = section.items(desk).map((item) => priced(item, section, desk))
      const listed = items.filter(({ item }) => item.weight === undefined)
      const single = items.filter(({ item }) => item.weight !== undefined)
      const need = listed.reduce((sum, one) => sum + one.need, listed.length === 0 ? 0 : TITLE_TOKENS)
      const fitting = (tokens: number): (readonly [one: Priced<Entry>, space: number])[] => {
        let left = tokens - TITLE_TOKENS
        return listed.flatMap((one) => {
          const space = Math.min(one.need, left)
          if (space < one.need && (!one.item.text || left < one.head + CUT_TOKENS_MIN)) return []
          left -= space
          return [[one, space] as const]
        })
      }
      return {
        list: { need, weight, floor: Math.max(least, Math.floor((floor * desk.limit) / 1000)) },
        singles: single.map(({ need, item: { weight = 0, least = 0 } }) => ({ need, weight, least })),
        taken(tokens) {
          const spaces = fitting(tokens).map(([, space]) => space)
          return spaces.reduce((sum, space) => sum + space, spaces.length === 0 ? 0 : TITLE_TOKENS)
        },
        show(tokens, given) {
          const shown = new Map<number, { readonly entry: Entry; readonly item: Item<Entry> }>()
          const put = ({ item, fit }: Priced<Entry>, space: number): void => {
            const runs = fit(space)
            if (item.text && runs.length === 0) return
            const before = shown.get(item.key)
            const entry = item.add(before?.entry, joinRuns(runs, item.text?.lines.length ?? 0), runs)
            if (entry !== undefined) shown.set(item.key, { entry, item: before?.item ?? item })
          }
          for (const [one, space] of fitting(tokens)) put(one, space)
          for (const [at, one] of single.entries()) {
            const space = given[at] ?? 0
            if (space > 0 && (one.item.text ? space > one.head : space >= one.need)) put(one, space)
          }
          const sorted = [...shown].sort(([a], [b]) => a - b).map(([, one]) => one)
          const [first] = sorted
          if (!first) return { originsOf: () => [] }
          const all = sorted.map(({ entry }) => entry)
          const value = shape === 'one' ? first.entry : shape === 'list' ? all : Object.fromEntries(all as [])
          return {
            value,
            originsOf(path) {
              const names = shape === 'record' ? Object.keys(Object(value)) : []
              const at =
                shape === 'one' ? 0 : shape === 'list' ? Number(path[0]) : names.indexOf(path[0] ?? '')
              const one = sorted[at]
              return one ? one.item.originsOf(shape === 'list' ? path.slice(1) : path, one.entry) : []
            },
          }
        },
      }
    },
  }
}

export const escaped = (part: string): string => part.replaceAll('~', '~0').replaceAll('/', '~1')

/** Entries as they stand in a packet, with their place there. */
function entriesIn(value: unknown, shape: Section<unknown>['shape']): (readonly [string, unknown])[] {
  if (value === null || value === '') return []
  if (shape === 'one') return [['', value]]
  const entries = Object.entries(Object(value))
  return shape === 'list' ? entries : entries.map((pair) => [pair[0], pair])
}

interface Priced<Entry> {
  readonly item: Item<Entry>
  /** What it takes without its text, and in all. */
  readonly head: number
  readonly need: number
  fit(tokens: number): readonly Run[]
}

function priced<Entry>(item: Item<Entry>, section: Section<Entry>, desk: Desk): Priced<Entry> {
  const { isJson, limit, reader, interest } = desk
  const { text, part, head: stated } = item
  const cost = isJson ? reader.costAsJson : reader.costOfLine
  const costOfEntry = (): number => {
    const entry = item.add(undefined, '', [])
    if (entry === undefined) return 8
    if (isJson) return reader.count(canonical(entry as Json)) + 2
    return section.lines(entry, EMPTY_PACKET).reduce((sum, [line]) => sum + cost(line), 0)
  }
  const head =
    typeof stated === 'number'
      ? stated
      : stated !== undefined
        ? cost(stated) + 7
        : part
          ? reader.costOf(`${section.field} ${isJson}`, part, costOfEntry)
          : costOfEntry()
  if (!text) return { item, head, need: head, fit: () => [] }
  const costOfText = (): number => text.lines.reduce((sum, line) => sum + cost(line), 0)
  const whole = text.part ? reader.costOf(`text ${isJson}`, text.part, costOfText) : costOfText()
  const cut = cutter(text, cost, text.kind === GOAL ? () => 0 : interest, whole)
  // The goal has tokens before it asks for more: a short one needs none.
  return { item, head, need: Math.max(0, head + Math.min(whole, limit)), fit: (tokens) => cut(tokens - head) }
}
