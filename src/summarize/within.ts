import {
  REPORT_LINE_CHARS_MEAN_MIN,
  REPORT_LINES_ALWAYS,
  SUMMARIZE_CHARS_MAX,
  SUMMARIZE_LINES_MAX,
} from '../limits.ts'
import { cleanLines, isBlank } from '../text/lines.ts'

/** An output as far as notes are made of it: all of it, or its head and its tail. */
export interface Looked {
  readonly lines: readonly string[]
  /** Lines with something on them, in the whole output. */
  readonly filled: number
  /** Which line of the whole output each of `lines` is, from 0. */
  readonly lineOf: (at: number) => number
  /** Follows a number of lines in a sentence; empty when all were looked at. */
  readonly aside: string
}

/** Bounded in lines too: each takes its time, however short it is. */
export function lookAt(text: string): Looked {
  const ends = endsOf(text, SUMMARIZE_LINES_MAX)
  if (ends === undefined) {
    const lines = cleanLines(text)
    return { lines, filled: filledIn(lines), lineOf: (at) => at, aside: '' }
  }
  const head = cleanLines(text.slice(0, ends.head))
  const tail = cleanLines(text.slice(ends.tail))
  const { filled, before } = linesIn(text, ends.tail)
  return {
    lines: head.concat(tail),
    filled,
    lineOf: (at) => (at < head.length ? at : before + at - head.length),
    aside: ' (only both ends looked at)',
  }
}

/**
 * Very long output is looked at from both ends: errors stand in the tail as often as in the head. All lines of what is
 * not as long are there, so that they can be counted, unless they are as many and tiny as in no report.
 */
export function within(text: string): string {
  const chars = Math.min(text.length, SUMMARIZE_CHARS_MAX)
  const ends = endsOf(text, Math.max(REPORT_LINES_ALWAYS, chars / REPORT_LINE_CHARS_MEAN_MIN))
  return ends === undefined ? text : `${text.slice(0, ends.head)}\n…\n${text.slice(ends.tail)}`
}

/** Where the head ends and the tail begins; undefined when all of the text is looked at. */
function endsOf(text: string, linesMax: number): { head: number; tail: number } | undefined {
  const redrawn = text.includes('\r')
  if (text.length <= SUMMARIZE_CHARS_MAX && !hasBreaks(text, linesMax, redrawn)) return undefined
  const middle = Math.min(text.length, SUMMARIZE_CHARS_MAX) >> 1
  const lines = Math.ceil(linesMax / 2)
  let head = -1
  for (let line = 0; line < lines && head < middle; line++) head = nextBreak(text, head + 1, redrawn)
  let tail = text.length
  for (let line = 0; line < lines && tail > text.length - middle; line++)
    tail = lastBreak(text, tail - 1, redrawn)
  return { head: Math.min(head, middle), tail: Math.max(tail + 1, text.length - middle) }
}

function hasBreaks(text: string, count: number, redrawn: boolean): boolean {
  if (text.length < count) return false
  let at = -1
  for (let left = count; left > 0; left--) {
    at = nextBreak(text, at + 1, redrawn)
    if (at === text.length) return false
  }
  return true
}

/** The next end of a line; the end of the text where there is none. Without returns in it that is a mere search. */
function nextBreak(text: string, from: number, redrawn: boolean): number {
  if (!redrawn) {
    const found = text.indexOf('\n', from)
    return found === -1 ? text.length : found
  }
  let at = from
  while (at < text.length && !isBreak(text, at)) at++
  return at
}

/** The last end of a line up to a place; -1 where there is none. */
function lastBreak(text: string, from: number, redrawn: boolean): number {
  if (from < 0) return -1
  if (!redrawn) return text.lastIndexOf('\n', from)
  let at = from
  while (at >= 0 && !isBreak(text, at)) at--
  return at
}

/** A return that ends no line redraws it: to those who read reports each state is a line. */
function isBreak(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code === 10 || (code === 13 && text.charCodeAt(at + 1) !== 10)
}

function filledIn(lines: readonly string[]): number {
  let count = 0
  for (const line of lines) if (!isBlank(line)) count++
  return count
}

/** Lines with something on them, and all that end before a place, without cutting the text into lines. */
function linesIn(text: string, place: number): { filled: number; before: number } {
  let filled = 0
  let before = 0
  let blank = true
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code > 32) {
      if (blank) filled++
      blank = false
    } else if (code === 10) {
      blank = true
      if (at < place) before++
    }
  }
  return { filled, before }
}
