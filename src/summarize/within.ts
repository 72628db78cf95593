/**
 * What a summarizer looks at: longer outputs are read from their head and tail.
 * @internal
 */
export const SUMMARIZE_CHARS_MAX = 4 * 1024 * 1024
/** Lines that notes are chosen from; of more, those at both ends. */
const SUMMARIZE_LINES_MAX = 6_000
/** Reports are counted in all lines, unless there are more than the first and their mean length is below the second. */
const REPORT_LINES_ALWAYS = 4_000
const REPORT_LINE_CHARS_MEAN_MIN = 36

/**
 * Very long output is looked at from both ends: errors stand in the tail as often as in the head. All lines of what is
 * not as long are there, so that they can be counted, unless they are as many and tiny as in no report.
 */
export function within(text: string): string {
  const chars = Math.min(text.length, SUMMARIZE_CHARS_MAX)
  const lines = Math.max(REPORT_LINES_ALWAYS, chars / REPORT_LINE_CHARS_MEAN_MIN)
  if (text.length <= SUMMARIZE_CHARS_MAX && breaksUpTo(text, lines) < lines) return text
  const [head, tail] = endsOf(text, lines / 2, chars >> 1)
  return `${text.slice(0, head)}\n…\n${text.slice(tail)}`
}

/** Where so many lines at the start of a text end, and those at its end begin, each with at most so many characters. */
function endsOf(text: string, lines: number, chars: number): [head: number, tail: number] {
  let [head, tail] = [-1, text.length]
  for (let line = 0; line < lines; line++) {
    const found = head < chars ? text.indexOf('\n', head + 1) : head
    head = found === -1 ? text.length : found
    if (tail > text.length - chars) tail = tail <= 0 ? -1 : text.lastIndexOf('\n', tail - 1)
  }
  return [Math.min(head, chars), Math.max(tail + 1, text.length - chars)]
}

/** Every character is looked at: with many breaks that is faster than searching for each. */
function breaksUpTo(text: string, max: number): number {
  let count = 0
  for (let at = 0; at < text.length && count < max; at++) if (text.charCodeAt(at) === 10) count++
  return count
}

/** An output's lines as far as they are looked at: all of them, or those at both ends. Each takes its time. */
export interface LinesWithin {
  readonly lines: readonly string[]
  readonly total: number
  /** Which line of the output one of `lines` is, from 0. */
  readonly place: (at: number) => number
}

export function linesWithin(text: string): LinesWithin {
  const breaks = breaksUpTo(text, Number.MAX_SAFE_INTEGER)
  if (breaks < SUMMARIZE_LINES_MAX) {
    const lines = text.split('\n')
    return { lines, total: lines.length, place: (at) => at }
  }
  const half = SUMMARIZE_LINES_MAX / 2
  const [head, tail] = endsOf(text, half, text.length)
  const lines = text.slice(0, head).split('\n').concat(text.slice(tail).split('\n'))
  return { lines, total: breaks + 1, place: (at) => (at < half ? at : breaks + 1 - lines.length + at) }
}
