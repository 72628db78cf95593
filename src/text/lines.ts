import { SUMMARIZE_LINES_MAX } from '../limits.ts'
import type { NumberedLine } from '../packet/notes.ts'
import { withoutEscapes } from './escapes.ts'
import { specificNames } from './names.ts'

export const LINE_CHARS_MAX = 240
/** A line longer than this is kept in parts, up to this much of it. */
const PART_CHARS_MAX = 130
const PARTS_CHARS_MAX = 4_000
/** In less there is no name. */
const NAMED_CHARS_MIN = 2

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

/**
 * The lines worth keeping when there are too many: every line is weighed by the names it brings that no kept
 * line has, a bonus for lines at either end, and what it costs. Given in their order.
 */
export function pickLines(lines: readonly NumberedLine[], charsMax: number): NumberedLine[] {
  const short: NumberedLine[] = []
  let total = 0
  const add = (part: NumberedLine) => {
    if (!hasWord(part[1])) return
    short.push(part)
    total += part[1].length + 8
  }
  for (const line of bothEnds(lines, SUMMARIZE_LINES_MAX)) {
    const text = line[1].trim()
    if (text.length <= PART_CHARS_MAX) add(text === line[1] ? line : [line[0], text])
    else for (const part of inParts(line[0], text)) add(part)
  }
  if (total <= charsMax) return short
  const counts = new Map<string, number>()
  const named = short.map(([, text]) => (text.length < NAMED_CHARS_MIN ? [] : specificNames(text)))
  for (const names of named) for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  const edge = Math.min(20, short.length >> 2)
  const weighed = short.map(([, text], at) => {
    let weight = at < edge || at >= short.length - edge ? 1 : 0
    // A name that recurs is divided among its lines, so that each line is judged by what only it brings.
    for (const name of named[at] ?? []) weight += 1 / (counts.get(name) ?? 1) + 0.05
    return { at, weight: weight / (text.length + 12) }
  })
  weighed.sort((a, b) => b.weight - a.weight || a.at - b.at)
  const kept: number[] = []
  let left = charsMax
  for (const { at } of weighed) {
    const cost = (short[at]?.[1].length ?? 0) + 8
    if (cost > left) continue
    left -= cost
    kept.push(at)
  }
  return kept.sort((a, b) => a - b).map((at) => short[at] ?? [0, ''])
}

/** Of very many those at both ends: each that is looked at takes its time. */
export const bothEnds = <T>(all: readonly T[], max: number): readonly T[] =>
  all.length <= max ? all : all.slice(0, max / 2).concat(all.slice(-max / 2))

/** A long line as parts that can be kept or left one by one; a part that is not the first begins with `…`. */
const inParts = (line: number, text: string): NumberedLine[] =>
  breakLong([text.slice(0, PARTS_CHARS_MAX)], PART_CHARS_MAX).map((part, at) => [
    line,
    at === 0 ? part : `…${part.trim()}`,
  ])

/** Brackets and rules alone tell nothing. */
function hasWord(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isPlainWord(code)) return true
    if (!isPlainMark(code)) return /[\p{L}\p{N}]/u.test(text.slice(at))
  }
  return false
}

const isPlainWord = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57)

/** ASCII, dashes and dots, arrows, lines and boxes: no letter or number is among them. */
const isPlainMark = (code: number): boolean =>
  code < 0x80 ||
  (code >= 0x2010 && code <= 0x2064) ||
  (code >= 0x2190 && code <= 0x245f) ||
  (code >= 0x2500 && code <= 0x2775)

/** Long lines as several, broken at spaces, so that prose and minified text can be chosen from piece by piece. */
export function breakLong(lines: readonly string[], max = LINE_CHARS_MAX): string[] {
  return lines.flatMap((line) => {
    if (line.length <= max) return [line]
    const parts: string[] = []
    for (let from = 0; from < line.length; ) {
      let to = Math.min(line.length, from + max)
      if (to < line.length) {
        const space = line.slice(from + max / 2, to + 1).lastIndexOf(' ')
        to = space > 0 ? from + max / 2 + space : nameEnd(line, to)
      }
      parts.push(line.slice(from, to).toWellFormed())
      from = to
    }
    return parts
  })
}

const NAME_CHARS_MAX = 160

/** The end of the name at a place, so that a long address is not cut in two. */
function nameEnd(line: string, at: number): number {
  let end = at
  while (end < line.length && end - at < NAME_CHARS_MAX && !' "\'()<>[]{},;|'.includes(line.charAt(end)))
    end++
  return end - at < NAME_CHARS_MAX ? end : at
}

/** A line at a length a packet can hold: leading space folded, the middle of a long line left out. */
export function shortLine(text: string): string {
  const line = text.trim()
  if (line.length <= LINE_CHARS_MAX) return line
  const half = LINE_CHARS_MAX >> 1
  return `${line.slice(0, half).toWellFormed()} … ${line.slice(-half + 3).toWellFormed()}`
}

/** Lines whose numbers are not known. */
export const unnumbered = (lines: readonly string[]): NumberedLine[] => lines.map((line) => [0, line])

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
