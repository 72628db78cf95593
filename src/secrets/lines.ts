import { isRandom, surprise } from './random.ts'
import { matchAt } from './rule.ts'

/** A line that is broken for its length is this long at least when it goes on for more than one more. */
const WIDTH_MIN = 40
const WIDTH_MAX = 400
const LINES_MAX = 32
/** Read once: what comes after decides. */
const FIRST = /(?=([\w+/=.~%-]{6,160}))\1(?=\\?\r?\n)/y
const NEXT = /\\?\r?\n([ \t]{0,40}(?:[+>|][ \t]?)?)([\w+/=.~%-]{2,300})/y

/**
 * A token that goes on in the next lines, since they were broken for their length: all are of one width but the last.
 * `match` is what stands in the first.
 */
export function acrossLines(
  pattern: RegExp,
  text: string,
  from: number,
  match: string,
): { readonly value: string; readonly to: number } | undefined {
  const first = matchAt(FIRST, text, from)?.[0]
  if (first === undefined || (match !== '' && match !== first)) return undefined
  const before = text.slice(Math.max(0, from - WIDTH_MAX), from)
  const width = before.length - 1 - before.lastIndexOf('\n') + first.length
  const ends = [{ value: first.length, to: from + first.length }]
  let whole = first
  for (let line = 0, to = from + first.length; line < LINES_MAX; line++) {
    const next = matchAt(NEXT, text, to)
    // A line that begins like the first has a token of its own.
    if (next?.[1] === undefined || next[2] === undefined || next[2].startsWith(first.slice(0, 4))) break
    to += next[0].length
    whole += next[2]
    ends.push({ value: whole.length, to })
    if (width < WIDTH_MIN || next[1].length + next[2].length !== width) break
  }
  const value = matchAt(pattern, whole, 0)?.[0] ?? ''
  if (value.length <= first.length || surprise(value.slice(first.length)) < 0.38) return undefined
  const last = ends.find((end) => end.value >= value.length)
  // What is whole in its line goes on only with all of the next.
  const isMore = last?.value === value.length && (width >= WIDTH_MIN || isRandom(value.slice(first.length)))
  if (match !== '' && !isMore) return undefined
  return last && { value, to: last.to - (last.value - value.length) }
}
