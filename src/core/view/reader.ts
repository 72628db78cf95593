import type { Tokenizer } from '../tokens/tokenizer.ts'
import type { Reader } from './view.ts'

const REMEMBERED_MAX = 20_000
/** Longer texts are whole packets, which hardly ever come again. */
const REMEMBERED_CHARS_MAX = 2_000

/** A tokenizer as views need it. What was read is remembered: most of a packet was in the one before. */
export function readerOf(tokenizer: Tokenizer): Reader {
  const counts = new Map<string, number>()
  const found = new Map<unknown, WeakMap<object, unknown>>()
  return {
    count(text) {
      if (text.length > REMEMBERED_CHARS_MAX) return tokenizer.count(text)
      const known = counts.get(text)
      if (known !== undefined) return known
      const count = tokenizer.count(text)
      if (counts.size >= REMEMBERED_MAX) counts.clear()
      counts.set(text, count)
      return count
    },
    once<Part extends object, Found>(part: Part, find: (part: Part) => Found): Found {
      const own = (found.get(find) ?? new WeakMap()) as WeakMap<Part, Found>
      found.set(find, own)
      const known = own.get(part)
      if (known !== undefined) return known
      const value = find(part)
      own.set(part, value)
      return value
    },
  }
}
