/**
 * Names in text: paths, identifiers, numbers. One linear pass, no patterns, so it can run over anything.
 * A name is a run of word characters, joined by single `.`, `/`, `:`, `-`, `\` or `@` between word characters.
 */
const NAME_CHARS_MAX = 160

const isWord = (code: number): boolean =>
  (code >= 97 && code <= 122) || // a-z
  (code >= 65 && code <= 90) || // A-Z
  (code >= 48 && code <= 57) || // 0-9
  code === 95 || // _
  code === 36 || // $
  code >= 0xc0

const isJoint = (code: number): boolean =>
  code === 46 || code === 47 || code === 58 || code === 45 || code === 92 || code === 64

/** Calls `found` for every name in order of appearance, as written. */
export function eachName(text: string, found: (name: string) => void): void {
  const length = text.length
  let at = 0
  while (at < length) {
    if (!isWord(text.charCodeAt(at))) {
      at++
      continue
    }
    const from = at
    let to = at
    while (at < length) {
      const code = text.charCodeAt(at)
      if (isWord(code)) to = ++at
      else if (isJoint(code)) at++
      else break
      // More than two joints in a row end a name: `a..b` and `a://b` hold together, `a --- b` does not.
      if (at - to > 2) break
    }
    if (to - from <= NAME_CHARS_MAX) found(text.slice(from, to))
    at = Math.max(at, to)
  }
}

/** Whether a name has structure (a joint, digit, underscore or inner capital) and so means one thing. */
export function isSpecific(name: string): boolean {
  let lower = false
  let capitals = 0
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i)
    if (isJoint(code) || code === 95 || code === 36 || (code >= 48 && code <= 57)) return name.length > 1
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
  eachName(text, (name) => {
    if (!isSpecific(name)) return
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
    if (code === 47 || code === 58 || code === 92) return name.slice(i + 1)
  }
  return name
}

const words = new Map<string, readonly string[]>()
const WORDS_CACHED_MAX = 50_000
const WORD_CHARS_MIN = 4

/** The words inside a name, in lower case: `palette_key` has palette and key; short ones mean too little. */
export function wordsOf(name: string): readonly string[] {
  const known = words.get(name)
  if (known) return known
  const found = name
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word.length >= WORD_CHARS_MIN)
  if (words.size >= WORDS_CACHED_MAX) words.clear()
  words.set(name, found)
  return found
}
