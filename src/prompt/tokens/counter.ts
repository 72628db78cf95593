import type { Count } from '../../view/view.ts'
import type { Tokenizer } from './tokenizer.ts'

const REMEMBERED_MAX = 20_000
/** Longer texts are whole packets, which hardly ever come again. */
const REMEMBERED_CHARS_MAX = 2_000

/** A tokenizer as views need it. Counts are remembered: most lines of a packet were in the one before. */
export function counterOf(tokenizer: Tokenizer): Count {
  const counts = new Map<string, number>()
  return (text) => {
    if (text.length > REMEMBERED_CHARS_MAX) return tokenizer.count(text)
    const known = counts.get(text)
    if (known !== undefined) return known
    const count = tokenizer.count(text)
    if (counts.size >= REMEMBERED_MAX) counts.clear()
    counts.set(text, count)
    return count
  }
}
