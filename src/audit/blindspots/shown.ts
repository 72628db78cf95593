import { isNumber, specificNames } from '../../text/names.ts'

/** What a prompt shows, so that one can ask whether it holds a name or a line. */
export interface Shown {
  hasName(name: string): boolean
  hasLine(line: string): boolean
}

/** So much of a line's words must be there: a summary may put them in other order. */
const WORDS_PERCENT_MIN = 80
const WORD = /[\p{L}\p{N}_]{3,}/gu

export function shownIn(prompt: string): Shown {
  const text = prompt.toLowerCase()
  const names = new Set(specificNames(prompt))
  const words = new Set(text.match(WORD) ?? [])
  return {
    // A path may stand there as part of a place (`src/a.ts:12`); a number inside another is another number.
    hasName: (name) => names.has(name) || (!isNumber(name) && text.includes(name)),
    hasLine(line) {
      const own = new Set(line.toLowerCase().match(WORD) ?? [])
      if (own.size === 0) return true
      let found = 0
      for (const word of own) if (words.has(word)) found++
      return found * 100 >= own.size * WORDS_PERCENT_MIN
    },
  }
}
