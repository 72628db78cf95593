import type { Settings } from '../event/event.ts'
import type { Measure } from '../packet/measure.ts'
import { pieceJson, renderJson } from './json.ts'
import { pieceOutline, renderOutline } from './outline.ts'
import type { Tokenizer } from './tokens/tokenizer.ts'

const CACHED_PIECES_MAX = 20_000

/** A rendering and a tokenizer as the bound needs them. Counts of pieces are remembered: most recur every turn. */
export function measureOf(rendering: Settings['rendering'], tokenizer: Tokenizer): Measure {
  const counts = new Map<string, number>()
  const tokens = (text: string): number => {
    const known = counts.get(text)
    if (known !== undefined) return known
    const count = tokenizer.count(text)
    if (counts.size >= CACHED_PIECES_MAX) counts.clear()
    counts.set(text, count)
    return count
  }
  return rendering === 'json'
    ? { name: `json/${tokenizer.name}`, tokens, render: renderJson, piece: pieceJson }
    : { name: `outline/${tokenizer.name}`, tokens, render: renderOutline, piece: pieceOutline }
}
