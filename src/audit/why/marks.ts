import { escapesIn } from '../../text/escapes.ts'
import type { How, Mark } from './answer.ts'

/** A part of a text by UTF-16 units. */
export interface TextSpan {
  readonly from: number
  readonly to: number
}

export interface Match {
  readonly how: How
  readonly spans: readonly TextSpan[]
  /** Words of the value that do not stand in the text. */
  readonly missing: readonly string[]
}

const GAP = /(?:^|\n)⋮(?: \d+ lines)?(?=\n|$)/
const WORD = /[\p{L}\p{N}_$]+(?:[./:@-]+[\p{L}\p{N}_$]+)*/gu
const WORDS_MAX = 4_000
/** Fragments so short may stand anywhere by chance: they count, but only where the rest is. */
const SHORT_CHARS = 3
/** Parts longer than this stand nowhere by chance. */
const CUT_CHARS = 24

/** The pieces of a value that were not cut: lines between `⋮`, without a leading or trailing `…`. */
const fragmentsOf = (value: string): string[] =>
  value
    .split(GAP)
    .map((text) => text.replace(/^\n/, '').replace(/^… ?/, '').replace(/…$/, ''))
    .filter((text) => text.trim() !== '')

/** Where a value stands in a text, as exactly as it can be told. What no reader sees of the text is looked past. */
export function matchIn(value: string, text: string): Match {
  const seen = visibleOf(text)
  if (!seen) return matchVisible(value, text)
  const match = matchVisible(value, seen.text)
  return {
    ...match,
    spans: match.spans.map(({ from, to }) => ({ from: seen.at(from), to: seen.at(to - 1) + 1 })),
  }
}

function matchVisible(value: string, text: string): Match {
  const spans: TextSpan[] = []
  const missing: string[] = []
  const hows = new Set<How>()
  let after = 0
  for (const fragment of fragmentsOf(value)) {
    const whole = find(text, fragment, after) ?? find(text, escaped(fragment), after)
    if (whole) {
      spans.push(whole)
      after = whole.to
      continue
    }
    for (const line of fragment.split('\n').filter((part) => part.trim() !== '')) {
      const found = findLine(text, line, after)
      if (found.spans.length > 0) after = found.spans.at(-1)?.to ?? after
      spans.push(...found.spans)
      missing.push(...found.missing)
      hows.add(found.how)
    }
  }
  const how = (['composed', 'rewritten'] as const).find((kind) => hows.has(kind)) ?? 'verbatim'
  return { how, spans: joined(spans), missing }
}

function findLine(text: string, line: string, after: number): Match {
  const trimmed = line.trim()
  const cut = trimmed
    .split('…')
    .map((part) => part.trim())
    .filter((part) => part.length > SHORT_CHARS)
  const parts = cut.length > 1 ? cut : [trimmed]
  const spans = parts.map((part) => find(text, part, after) ?? find(text, escaped(part), after))
  if (spans.every((span) => span !== undefined)) return { how: 'verbatim', spans, missing: [] }
  return findWords(text, line, after)
}

function findWords(text: string, line: string, after: number): Match {
  const spans: TextSpan[] = []
  const missing: string[] = []
  const words = [...line.matchAll(WORD)].slice(0, WORDS_MAX)
  for (let at = 0; at < words.length; ) {
    // Words that stand together there are found together: alone one may stand elsewhere too.
    let run: TextSpan | undefined
    let next = at + 1
    for (; next < words.length; next++) {
      const found = find(text, stretchOf(line, words[at], words[next]), after)
      if (!found) break
      run = found
    }
    const word = words[at]?.[0] ?? ''
    const found = run ? { spans: [run], missing: [] } : findJoined(text, word, after)
    spans.push(...found.spans)
    missing.push(...found.missing)
    at = next
  }
  const isThere = missing.length === 0 && spans.length > 0
  return { how: isThere ? 'rewritten' : 'composed', spans, missing }
}

/** Of a line from the beginning of one word to the end of another. */
const stretchOf = (
  line: string,
  first: RegExpExecArray | undefined,
  last: RegExpExecArray | undefined,
): string => line.slice(first?.index, (last?.index ?? 0) + (last?.[0].length ?? 0))

const JOINTS = [':', '/', '-', '.']

/** A word whole, else by what it joins: a path that was named from another folder, a place that was put together. */
function findJoined(text: string, word: string, after: number): Omit<Match, 'how'> {
  const whole = find(text, word, after)
  if (whole) return { spans: [whole], missing: [] }
  const joint = JOINTS.find((one) => word.includes(one))
  if (joint === undefined) return { spans: [], missing: [word] }
  const parts = word.split(joint).filter((part) => part !== '')
  const found = parts.map((part) => findJoined(text, part, after))
  // Of a name that is not there at all, all of it is missing.
  if (found.every(({ spans }) => spans.length === 0)) return { spans: [], missing: [word] }
  return {
    spans: found.flatMap(({ spans }) => spans),
    missing: found.flatMap(({ missing }) => missing),
  }
}

/** At or after a place, else anywhere; never as a part of another number or of a name with digits. */
function find(text: string, part: string, after: number): TextSpan | undefined {
  return part === '' ? undefined : (findFrom(text, part, after) ?? findFrom(text, part, 0))
}

function findFrom(text: string, part: string, first: number): TextSpan | undefined {
  for (let from = text.indexOf(part, first); from >= 0; from = text.indexOf(part, from + 1)) {
    const to = from + part.length
    // A long part was perhaps cut in the middle of a number.
    if (part.length > CUT_CHARS || !isInNumber(text, from, to)) return { from, to }
  }
  return undefined
}

function isInNumber(text: string, from: number, to: number): boolean {
  const isDigit = (at: number) => /\d/.test(text[at] ?? '')
  const goesOn = (at: number, further: number) =>
    /\w/.test(text[at] ?? '') || (text[at] === '.' && isDigit(further))
  return (isDigit(from) && goesOn(from - 1, from - 2)) || (isDigit(to - 1) && goesOn(to, to + 1))
}

/** As it stands inside JSON text. */
const escaped = (part: string): string => JSON.stringify(part).slice(1, -1)

/** Spans in order, those that touch as one. */
export function joined(spans: readonly TextSpan[]): TextSpan[] {
  const result: TextSpan[] = []
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    const last = result.at(-1)
    if (last && span.from <= last.to)
      result[result.length - 1] = { from: last.from, to: Math.max(last.to, span.to) }
    else result.push(span)
  }
  return result
}

/** Spans as marks: places in bytes, lines, and what stands there. In order; one pass over the text. */
export function marksOf(text: string, spans: readonly TextSpan[]): Mark[] {
  let at = 0
  let bytes = 0
  let line = 1
  const to = (place: number): number => {
    const passed = text.slice(at, place)
    bytes += Buffer.byteLength(passed)
    for (let feed = passed.indexOf('\n'); feed >= 0; feed = passed.indexOf('\n', feed + 1)) line++
    at = place
    return bytes
  }
  return spans.map((span) => {
    const from = to(span.from)
    const first = line
    return { from, to: to(span.to), line: first, text: text.slice(span.from, span.to) }
  })
}

/** A text without terminal escapes and control characters, and where each unit of it stands in the whole. */
interface VisibleText {
  readonly text: string
  at(index: number): number
}

// Line feeds and tabs stay.
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g

/** Undefined for a text that is all visible. */
function visibleOf(text: string): VisibleText | undefined {
  const hidden = [...escapesIn(text), ...spansOf(text)].sort((a, b) => a.from - b.from)
  if (hidden.length === 0) return undefined
  let visible = ''
  let from = 0
  /** Where each visible stretch begins: in the visible text, and in the whole. */
  const starts: { readonly at: number; readonly from: number }[] = []
  for (const one of [...hidden, { from: text.length, to: text.length }]) {
    if (one.from > from) {
      starts.push({ at: visible.length, from })
      visible += text.slice(from, one.from)
    }
    from = Math.max(from, one.to)
  }
  return {
    text: visible,
    at(index) {
      const start = starts.findLast(({ at }) => at <= index)
      return start ? start.from + index - start.at : index
    },
  }
}

const spansOf = (text: string): { from: number; to: number }[] =>
  [...text.matchAll(CONTROL)].map(({ index }) => ({ from: index, to: index + 1 }))
