import { withoutEscapes } from './escapes.ts'

export const LINE_CHARS_MAX = 240

/** Output as lines without terminal escapes, carriage-return overwrites and trailing space. Linear. */
export function cleanLines(text: string): string[] {
  const lines = withoutEscapes(text).split('\n')
  const redrawn = text.includes('\r')
  for (let at = 0; at < lines.length; at++) {
    const raw = lines[at] ?? ''
    const line = redrawn ? lastState(raw) : raw
    lines[at] = maybeSpace(line.charCodeAt(line.length - 1)) ? line.trimEnd() : line
  }
  return lines
}

/** A progress bar redraws its line: what stands after the last return is what a person saw. */
function lastState(raw: string): string {
  const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw
  return line.slice(line.lastIndexOf('\r') + 1)
}

/** False only for characters that `trim` keeps: a test that is cheap for most. */
const maybeSpace = (code: number): boolean => code <= 32 || code >= 0xa0

export function isBlank(line: string): boolean {
  return line === '' || (maybeSpace(line.charCodeAt(0)) && line.trim() === '')
}

/** Of very many those at both ends: each that is looked at takes its time. */
export const bothEnds = <T>(all: readonly T[], max: number): readonly T[] =>
  all.length <= max ? all : all.slice(0, max / 2).concat(all.slice(-max / 2))

/** A line at a length a packet can hold: leading space folded, the middle of a long line left out. */
export function shortLine(text: string): string {
  const line = text.trim()
  if (line.length <= LINE_CHARS_MAX) return line
  const half = LINE_CHARS_MAX >> 1
  return `${line.slice(0, half).toWellFormed()} … ${line.slice(-half + 3).toWellFormed()}`
}

export const onOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** Words of others inside a sentence. */
export const quoted = (text: string): string => `"${text.replaceAll('"', "'")}"`

/** The first of several names; that there are more is shown. */
export const firstOf = (names: readonly string[], max: number): string =>
  names.length <= max ? names.join(', ') : `${names.slice(0, max).join(', ')}, …`

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${inThousands(count)} ${count === 1 ? one : many}`

/** `1,234,567`, by hand: the first use of the system's own formatting takes longer than a summary may. */
function inThousands(count: number): string {
  let digits = String(count)
  if (!Number.isSafeInteger(count)) return digits
  let grouped = ''
  for (; /^-?\d{4}/.test(digits); digits = digits.slice(0, -3)) grouped = `,${digits.slice(-3)}${grouped}`
  return digits + grouped
}
