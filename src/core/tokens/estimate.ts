import { OBSERVATIONS, observeGap, SLOTS } from './estimate-gaps.ts'
import fitted from './estimate-weights.json' with { type: 'json' }
import type { Tokenizer } from './tokenizer.ts'

/**
 * Gemma's tokens never mix letters, punctuation, digits and line breaks, so a text falls into runs whose costs
 * add up. Digits, white space and single characters are counted by rule. Within a word or a row of punctuation
 * each gap between two characters costs the fitted chance that a token ends there, and a little more where that
 * is uncertain. All sums are integers, so that every machine counts the same.
 *
 * `count(a + '\n' + b) <= count(a) + count(b) + 1`: a caller may add up lines.
 */
export const estimate: Tokenizer = {
  name: 'estimate-1',
  count: (text) => Math.ceil(countUnits(text) / UNITS),
}

/** Costs are summed in 1/256 token. */
const UNITS = 256
/** White space of one kind is one token up to this length. */
const WHITE_RUN_CHARS = 31

/** Symbols of tool output that the tokenizer joins with one space before them. */
const SPACED_SYMBOLS = '│→←↑↓—–•…✓✔✅●▶■★“’×·'
/** Symbols drawn in rows, joined in fours at the least. */
const ROW_SYMBOLS = '─━═·…•'

const OTHER = 0
const LETTER = 1
const PUNCTUATION = 2
const WHITE = 3

const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  if ((code >= 65 && code <= 90) || (code >= 97 && code <= 122)) return LETTER
  if (code === 32 || code === 10 || code === 9) return WHITE
  return code > 32 && code < 127 && !(code >= 48 && code <= 57) ? PUNCTUATION : OTHER
})

const kindAt = (text: string, at: number): number => {
  const code = text.charCodeAt(at)
  return code < 128 ? (kinds[code] ?? OTHER) : OTHER
}

const countUnits = (text: string): number => {
  let units = 0
  let at = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code >= 128) {
      if (ROW_SYMBOLS.includes(text.charAt(at))) {
        const end = endOfSame(text, at, code)
        units += UNITS * Math.min(end - at, Math.ceil((end - at) / 4) + 1)
        at = end
      } else {
        const point = text.codePointAt(at) ?? code
        units += UNITS * characterTokens(point)
        at += point > 0xffff ? 2 : 1
      }
      continue
    }
    const kind = kinds[code] ?? OTHER
    if (kind === OTHER) {
      units += UNITS
      at++
    } else if (kind === WHITE) {
      const end = endOfSame(text, at, code)
      const next = kindAt(text, end)
      if (code === 32 && end - at === 1 && (next === LETTER || next === PUNCTUATION)) {
        const wordEnd = endOfRun(text, end, next)
        units += runUnits(text, at, wordEnd)
        at = wordEnd
      } else if (code === 32 && end - at === 1 && end < text.length && isSpacedSymbol(text, end)) {
        units += UNITS
        at = end + 1
      } else {
        units += UNITS * Math.ceil((end - at) / WHITE_RUN_CHARS)
        at = end
      }
    } else {
      const end = endOfRun(text, at, kind)
      units += runUnits(text, at, end)
      at = end
    }
  }
  return units
}

const endOfSame = (text: string, start: number, code: number): number => {
  let end = start + 1
  while (text.charCodeAt(end) === code) end++
  return end
}

/** A symbol that joins the space before it, unless it begins a row of its own. */
const isSpacedSymbol = (text: string, at: number): boolean =>
  SPACED_SYMBOLS.includes(text.charAt(at)) && text.charCodeAt(at + 1) !== text.charCodeAt(at)

const endOfRun = (text: string, start: number, kind: number): number => {
  let end = start + 1
  while (end < text.length && kindAt(text, end) === kind) end++
  return end
}

/** The tables are written in printable ASCII from 40 on, without the backslash. */
const levelAt = (table: string, at: number): number => {
  const code = table.charCodeAt(at)
  return code < 92 ? code - 40 : code - 41
}

const weights = Int8Array.from({ length: SLOTS }, (_, at) => levelAt(fitted.gap_weights, at) - 43)
const gapUnits = Uint16Array.from(fitted.gap_units)
/** The score of a gap before anything is observed, counted from the lowest. */
const bias = fitted.gap_bias + (gapUnits.length >> 1)
const slots = new Int32Array(OBSERVATIONS)

/** A run with an optional leading space: one token, and what its gaps add. */
const runUnits = (text: string, start: number, end: number): number => {
  let units = UNITS
  let repeated = 0
  for (let at = start + 1; at < end; at++) {
    repeated = text.charCodeAt(at) === text.charCodeAt(at - 1) ? repeated + 1 : 0
    observeGap(text, start, end, at, repeated, slots)
    let score = bias
    for (let index = 0; index < OBSERVATIONS; index++) score += weights[slots[index] ?? 0] ?? 0
    units += gapUnits[Math.max(0, Math.min(score, gapUnits.length - 1))] ?? UNITS
  }
  return units
}

/** A character beyond ASCII is one token when the tokenizer knows it, else one for each byte of its UTF-8. */
const characterTokens = (point: number): number => {
  let offset = 0
  for (const [first = 0, last = 0] of fitted.character_blocks) {
    if (point >= first && point <= last) {
      const bit = offset + point - first
      if ((levelAt(fitted.character_bits, Math.floor(bit / 6)) >> (bit % 6)) & 1) return 1
      break
    }
    offset += last - first + 1
  }
  if (point < 0x800) return 2
  return point < 0x10000 ? 3 : 4
}
