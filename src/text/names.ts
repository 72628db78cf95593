/**
 * Names in text: paths, identifiers, numbers. One linear pass, no patterns, so it can run over anything.
 * A name begins with a letter, `_` or `$` and goes on with word characters, joined by `.`, `/`, `:` or `-` between
 * them. Digits that begin no name are numbers of their own: `10-40` is two of them.
 */
const NAME_CHARS_MAX = 160
/** Shorter ones without a joint mean too many things. */
const NAME_CHARS_MIN = 4
const NUMBER_CHARS_MIN = 2
const JOINTS_MAX = 3
/** What follows digits is a unit or part of a date (`10ms`, `08T16`) while it is short, and else one word with them. */
const LETTERS_AFTER_DIGITS_MIN = 4

const isDigit = (code: number): boolean => code >= 48 && code <= 57

/** For each character of ASCII, 1 when it belongs to a word. */
const WORD = Uint8Array.from({ length: 128 }, (_, code) => (/[\w$]/.test(String.fromCharCode(code)) ? 1 : 0))

const isWord = (code: number): boolean => (code < 128 ? WORD[code] === 1 : code >= 0xc0 && !isSymbol(code))

/** Punctuation, arrows, boxes and the like beyond ASCII. */
const isSymbol = (code: number): boolean => code >= 0x2000 && code < 0x2c00

const CUT = 0x2026 // …

const isJoint = (code: number): boolean => code === 46 || code === 47 || code === 58 || code === 45

/** Calls `found` for every specific name in order of appearance, as written. Most words are plain, and not even cut out. */
function eachSpecificName(text: string, found: (name: string) => void): void {
  const length = text.length
  let at = 0
  while (at < length) {
    const first = text.charCodeAt(at)
    if (!isWord(first)) {
      at++
      continue
    }
    at += escapeChars(text, at)
    const from = at
    if (isDigit(first)) {
      while (at < length && isDigit(text.charCodeAt(at))) at++
      const digits = at
      while (at < length && isWord(text.charCodeAt(at))) at++
      const to = at - digits >= LETTERS_AFTER_DIGITS_MIN ? at : digits
      if (to - from >= NUMBER_CHARS_MIN && to - from <= NAME_CHARS_MAX) found(text.slice(from, to))
      continue
    }
    let to = at
    let joined = false
    let lower = false
    let capitals = 0
    let specific = false
    while (at < length) {
      const code = text.charCodeAt(at)
      if (isWord(code)) {
        joined ||= at > to
        if (code >= 97 && code <= 122) lower = true
        else if (code >= 65 && code <= 90) specific ||= lower || ++capitals > 1
        else if (code < 128) specific = true
        to = ++at
      } else if (isJoint(code) && at - to < JOINTS_MAX) at++
      else break
    }
    at = to
    // What was cut short is not the name of anything.
    if ((!specific && !joined) || text.charCodeAt(to) === CUT) continue
    const chars = to - from
    if ((joined || chars >= NAME_CHARS_MIN) && chars <= NAME_CHARS_MAX) found(text.slice(from, to))
  }
}

/** How much of what stands here belongs to a line break or a character written as an escape: `\nThe`, `\u2003`. */
function escapeChars(text: string, at: number): number {
  if (text.charCodeAt(at - 1) !== 92) return 0
  const next = text.charCodeAt(at + 1)
  if (text[at] === 'n' && next >= 65 && next <= 90) return 1
  return text[at] === 'u' && isDigit(next) ? Math.min(5, text.length - at) : 0
}

/** Whether a name has structure (a joint, digit, underscore or inner capital) and so means one thing. */
export function isSpecific(name: string): boolean {
  let lower = false
  let capitals = 0
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i)
    if (isJoint(code) || code === 95 || code === 36 || isDigit(code)) return name.length > 1
    if (code >= 97 && code <= 122) lower = true
    else if (code >= 65 && code <= 90) {
      capitals++
      if (lower || capitals > 1) return true
    }
  }
  return false
}

/** The distinct specific names of a text in lower case; a path counts by its last part too. */
export function specificNames(text: string): string[] {
  return [...writtenNames(text).keys()]
}

/** The same, each with how it was written where it first stands. */
export function writtenNames(text: string, names = new Map<string, string>()): Map<string, string> {
  eachSpecificName(text, (name) => {
    add(names, name)
    const last = lastPart(name)
    if (last.length > 3) add(names, last)
  })
  return names
}

function add(names: Map<string, string>, name: string): void {
  const lower = name.toLowerCase()
  if (!names.has(lower)) names.set(lower, name)
}

function lastPart(name: string): string {
  for (let i = name.length - 1; i >= 0; i--) {
    const code = name.charCodeAt(i)
    if (code === 47 || code === 58) return name.slice(i + 1)
  }
  return name
}

export const isNumber = (name: string): boolean => /^\d+$/.test(name)
