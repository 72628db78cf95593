import type { Mark } from '../audit/why/answer.ts'
import { cut } from '../text/cut.ts'
import { charsLeft, paint, safe } from './output.ts'

export const LINE_CHARS_MAX = 200
/** Of a line with its number. */
export const LINE_INDENT = 12
const BEFORE_CHARS = 30

/** Bright on a terminal, between quotes elsewhere. */
export const mark = (line: string): string => (process.stdout.isTTY ? paint('inverse', line) : `«${line}»`)

/** The lines that hold marks, by number, with the marks in them. */
export function markedLines(text: string, marks: readonly Mark[]): (readonly [number, string])[] {
  const lines = text.split('\n')
  const parts = marks.flatMap(({ line, text: marked }) =>
    marked.split('\n').flatMap((part, at) => (part.trim() === '' ? [] : [{ line: line + at, part }])),
  )
  return [...Map.groupBy(parts, ({ line }) => line)].map(([line, own]) => [
    line,
    withMarks(
      lines[line - 1] ?? '',
      own.map(({ part }) => part),
    ),
  ])
}

/** Of a long line what stands around the first mark. */
export function withMarks(line: string, parts: readonly string[]): string {
  let left = charsLeft(LINE_CHARS_MAX, LINE_INDENT)
  const taken = (text: string): string => {
    const shown = cut(safe(text), left)
    left -= shown.length
    return shown
  }
  let marked = ''
  let at = 0
  for (const part of parts) {
    const from = line.indexOf(part, at)
    if (from < 0 || left <= 0) continue
    const before = line.slice(at, from)
    marked += taken(before.length > BEFORE_CHARS ? `…${before.slice(-BEFORE_CHARS)}` : before)
    marked += mark(taken(part))
    at = from + part.length
  }
  return marked + taken(line.slice(at))
}
