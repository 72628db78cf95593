import { specificNames } from '../../text/names.ts'
import type { Tokenizer } from '../tokens/tokenizer.ts'

/** Counts the tokens of a text. */
type Count = (text: string) => number

/** How a view reads a state. It asks for the same again and again, within a packet and from turn to turn. */
export interface Reader {
  readonly count: Count
  /** The specific names in a text, in lower case. */
  readonly namesIn: (text: string) => readonly string[]
  /** What a function finds in a part of the state, looked for once. Parts never change; the function is always the same. */
  once<Part extends object, Found>(part: Part, find: (part: Part, reader: Reader) => Found): Found
  /** What a part of the state costs as `what`, counted once. */
  costOf(what: string, part: object, count: () => number): number
}

const REMEMBERED_MAX = 30_000
/** Longer texts are whole packets, which hardly ever come again. */
const REMEMBERED_CHARS_MAX = 1_000

/** A tokenizer as views need it. What was read is remembered: most of a packet was in the one before. */
export function readerOf(tokenizer: Tokenizer): Reader {
  const found = new Map<unknown, WeakMap<object, unknown>>()
  const costs = new Map<string, WeakMap<object, number>>()
  const reader: Reader = {
    count: remembering(tokenizer.count),
    namesIn: remembering(specificNames),
    once<Part extends object, Found>(part: Part, find: (part: Part, reader: Reader) => Found): Found {
      const own = (found.get(find) ?? new WeakMap()) as WeakMap<Part, Found>
      found.set(find, own)
      const known = own.get(part)
      if (known !== undefined) return known
      const value = find(part, reader)
      own.set(part, value)
      return value
    },
    costOf(what, part, count) {
      const own = costs.get(what) ?? new WeakMap<object, number>()
      costs.set(what, own)
      const cost = own.get(part) ?? count()
      own.set(part, cost)
      return cost
    },
  }
  return reader
}

function remembering<Found>(find: (text: string) => Found): (text: string) => Found {
  const known = new Map<string, Found>()
  return (text) => {
    if (text.length > REMEMBERED_CHARS_MAX) return find(text)
    const before = known.get(text)
    if (before !== undefined) return before
    const value = find(text)
    if (known.size >= REMEMBERED_MAX) known.clear()
    known.set(text, value)
    return value
  }
}
