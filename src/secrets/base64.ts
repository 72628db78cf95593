import { matchAt } from './rule.ts'
import { ownAt, type Steps } from './seen.ts'

/** A text that stands in another as base64. */
export interface Decoded {
  readonly text: string
  /** The groups of base64 that hold a part of it. */
  place(from: number, to: number): { readonly from: number; readonly to: number }
}

/** Fifteen bytes: no shorter secret is looked for, and nothing else decodes to fifteen that are readable. */
const RUN_CHARS_MIN = 20
/** Lines of base64 are this long at least, but for the last. */
const LINE_CHARS_MIN = 60
const NEXT_LINE = /\r?\n[ \t]{0,40}([A-Za-z0-9+/_-]{4,})/y

/** Every base64 in a text that is readable when it is decoded, line breaks within it left out. */
export function* decodedIn(text: string, isCut = false): Generator<Decoded> {
  let done = 0
  for (const [from, to] of runsIn(text)) {
    if (from < done) continue
    // A text that was cut begins anywhere in its base64.
    const skip = (isCut && from === 0 ? [0, 1, 2, 3] : [0]).find((skip) =>
      isReadable(decode(text.slice(from + skip, Math.min(to, from + skip + RUN_CHARS_MIN)))),
    )
    if (skip === undefined) continue
    const steps: Steps = { seen: [0], own: [from + skip] }
    let whole = text.slice(from + skip, to)
    done = to
    for (let line = whole; line.length % 4 === 0 && line.length >= LINE_CHARS_MIN; ) {
      const next = matchAt(NEXT_LINE, text, done)
      if (next?.[1] === undefined) break
      line = next[1]
      done += next[0].length
      steps.seen.push(whole.length)
      steps.own.push(done - line.length)
      whole += line
    }
    yield {
      text: decode(whole),
      place: (from, to) => ({
        from: ownAt(steps, Math.floor(from / 3) * 4),
        to: ownAt(steps, Math.min(Math.ceil(to / 3) * 4, whole.length) - 1) + 1,
      }),
    }
  }
}

/** Long runs of its characters. A shorter one does not reach from one place that is looked at to the next. */
function* runsIn(text: string): Generator<readonly [from: number, to: number]> {
  let done = 0
  for (let at = RUN_CHARS_MIN - 1; at < text.length; at += RUN_CHARS_MIN) {
    if (!isDigit(text.charCodeAt(at))) continue
    let from = at
    let to = at + 1
    while (from > done && isDigit(text.charCodeAt(from - 1))) from--
    while (to < text.length && isDigit(text.charCodeAt(to))) to++
    if (to - from >= RUN_CHARS_MIN) yield [from, to]
    done = to
    at = to
  }
}

/** A letter, a digit, `+`, `/`, `-` or `_`. */
const isDigit = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 47 && code <= 57) ||
  code === 43 ||
  code === 45 ||
  code === 95

/** A last group of one character holds nothing. */
export function decode(base64: string): string {
  const chars = base64.length % 4 === 1 ? base64.slice(0, -1) : base64
  return atob(chars.replaceAll('-', '+').replaceAll('_', '/'))
}

export const isReadable = (text: string): boolean => /^[\t\n\r\x20-\x7e]+$/.test(text)
