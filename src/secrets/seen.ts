import { matchAt } from './rule.ts'

/**
 * What a reader sees of a text: without the codes that colour it, and with what was escaped as it was meant (`\u0041`,
 * `\n`, `\"` of a string in a string). Rules read this; places in it lead back to the text itself.
 */
export interface Seen {
  readonly text: string
  /** Where a part of it stands in the text, with everything between its first and its last character. */
  place(from: number, to: number): { readonly from: number; readonly to: number }
}

/** From each place in what is seen on, it stands in the text as it is. */
export interface Steps {
  readonly seen: number[]
  readonly own: number[]
}

/** The last step at or before a place. */
function stepAt({ seen }: Steps, place: number): number {
  let low = 0
  for (let high = seen.length; high - low > 1; ) {
    const middle = (low + high) >> 1
    if ((seen[middle] ?? 0) <= place) low = middle
    else high = middle
  }
  return low
}

/** Where in the text a place in what is seen is. */
export function ownAt(steps: Steps, place: number): number {
  const step = stepAt(steps, place)
  return (steps.own[step] ?? 0) + place - (steps.seen[step] ?? 0)
}

const CODE = String.raw`(?:\x1b|\\u001[bB]|\\x1[bB]|\\033)(?:\[[0-9;:?]{0,32}[A-Za-z]|\][^\x07\x1b\\\n]{0,512}(?:\x07|\x1b\\)|[()][0-9A-Z])`
const CODES = new RegExp(CODE, 'g')
const CODE_HERE = new RegExp(CODE, 'y')
const HEX_HERE = /u00([2-7][0-9a-fA-F])/y
const MEANT = new Map([...`nrt"'/`].map((letter, at) => [letter.charCodeAt(0), `\n\r\t"'/`.charAt(at)]))
/** A string in a string in a string has four for one. */
const BACKSLASHES_MAX = 4
const BACKSLASH = 0x5c
/** A line that was broken for its length: the break, an indent, and the sign of a difference. */
const BREAKS = /\\?(?:\r?\n|\\{1,4}n)[ \t]{0,40}(?:[+>|][ \t]?)?/g

export function seenIn(text: string): Seen {
  const signs = /[\x1b\\]/g
  if (!signs.test(text)) return { text, place: (from, to) => ({ from, to }) }
  const steps: Steps = { seen: [0], own: [0] }
  /** For each step, whether it is after a character that was escaped. */
  const made = [false]
  let seen = ''
  let length = 0
  let done = 0
  for (let at = signs.lastIndex - 1; at >= 0; ) {
    const { end, meant } = escapeAt(text, at) ?? { end: endOfCode(text, at), meant: '' }
    if (end > at) {
      seen += text.slice(done, at) + meant
      length += at - done + meant.length
      done = end
      steps.seen.push(length)
      steps.own.push(done)
      made.push(meant !== '')
    }
    at = Math.max(end, at + 1)
    if (text.charCodeAt(at) === BACKSLASH) continue
    signs.lastIndex = at
    at = signs.test(text) ? signs.lastIndex - 1 : -1
  }
  return {
    text: seen + text.slice(done),
    place(from, to) {
      const next = stepAt(steps, to - 1) + 1
      const isMade = made[next] === true && steps.seen[next] === to
      return { from: ownAt(steps, from), to: isMade ? (steps.own[next] ?? 0) : ownAt(steps, to - 1) + 1 }
    },
  }
}

/** What a backslash stands before, where it makes one character of it. */
function escapeAt(text: string, at: number): { readonly end: number; readonly meant: string } | undefined {
  let end = at
  while (end - at < BACKSLASHES_MAX && text.charCodeAt(end) === BACKSLASH) end++
  if (end === at) return undefined
  const meant = MEANT.get(text.charCodeAt(end))
  if (meant !== undefined) return { end: end + 1, meant }
  const hex = matchAt(HEX_HERE, text, end)?.[1]
  return hex === undefined
    ? undefined
    : { end: end + 5, meant: String.fromCharCode(Number.parseInt(hex, 16)) }
}

const endOfCode = (text: string, at: number): number => at + (matchAt(CODE_HERE, text, at)?.[0].length ?? 0)

/** A secret as a tool can use it, and what stood within it: codes for colours, breaks of a line that was too long. */
export function mended(text: string, kind: string): { readonly secret: string; readonly rest: string } {
  if (!/[\x1b\n\\]/.test(text)) return { secret: text, rest: '' }
  let rest = ''
  const take = (all: string): string => {
    rest += all
    return ''
  }
  const plain = text.replace(CODES, take)
  // The lines of a key in a block are its own.
  return { secret: kind === 'private-key' ? plain : plain.replace(BREAKS, take), rest }
}
