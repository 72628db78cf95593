import type { Count } from '../view.ts'

/** What a gap in a text is shown as; a number tells how many lines were left out. */
const gapLine = (lines: number): string => (lines === 1 ? '⋮' : `⋮ ${lines} lines`)
/** What a gap is taken to cost, and what it costs where one line is left out. */
const GAP_TOKENS = 6
const GAP_LINE_TOKENS = 4

/** How much a line that must stay counts, and how much less each line farther away does. */
const HIGHLIGHT = 130
const SLOPE = 2
/** How much less a line counts that says nothing. */
const NOTHING = 80
const PIECE_CHARS_MAX = 240

/** How lines of a kind of text count. */
export interface Kind {
  /** What the first and the last line count. */
  readonly first: number
  readonly last: number
  /** How much less each line farther from either end counts. */
  readonly fall: number
  /** Lines above and below that a line's score takes in. */
  readonly above: number
  readonly below: number
}
/** An output says at its end how it went; a line of it may stand for itself. */
export const OUTPUT: Kind = { first: 60, fall: SLOPE, last: 160, above: 2, below: 2 }
/** A file may matter anywhere, and its lines mean something together. */
export const FILE: Kind = { first: 12, fall: SLOPE, last: 24, above: 10, below: 10 }
/** A long task says first what it is about and last how to end it; below what is at hand stands what comes next. */
export const GOAL: Kind = { first: 400, fall: 50, last: 120, above: 10, below: 1 }
/** A task or a request says first what it is about. */
export const WORDS: Kind = { first: 400, fall: SLOPE, last: 90, above: 5, below: 5 }

/** Pieces of a text that stand together, by index: from, and up to but not including. */
export interface Run {
  readonly from: number
  readonly to: number
}

export interface Fitted {
  /** Whole lines; very long ones in several pieces. */
  readonly pieces: readonly string[]
  /** The line, from 0, that each piece belongs to. */
  readonly lineOf: readonly number[]
  readonly runs: readonly Run[]
}

/**
 * Shows as much of a text as a budget allows. Every line has a score: what must stay, what speaks of the work at hand,
 * both ends; a line near another takes part of its score, so that what is shown stands together. A packet is filled
 * several times with different budgets: scores are made once, and only where the text is too long.
 */
export function fitter(
  lines: readonly string[],
  count: Count,
  highlights: readonly number[],
  interest: (line: string) => number,
  kind: Kind = OUTPUT,
): (budget: number) => Fitted {
  let ranked: Ranked | undefined
  return (budget) => {
    if (costUpTo(lines, budget, count) <= budget)
      return { pieces: lines, lineOf: [...lines.keys()], runs: [{ from: 0, to: lines.length }] }
    ranked ??= byScore(inPieces(lines), highlights, interest, kind)
    return chosen(ranked, budget, count)
  }
}

type Pieces = Omit<Fitted, 'runs'>
/** Pieces, and their indexes by score. */
type Ranked = Pieces & { readonly order: readonly number[] }

function chosen({ pieces, lineOf, order }: Ranked, budget: number, count: Count): Fitted {
  const kept = new Uint8Array(pieces.length)
  let left = budget
  let gaps = 1
  for (const at of order) {
    const joins =
      (kept[at - 1] ?? 0) + (kept[at + 1] ?? 0) + (at === 0 ? 1 : 0) + (at === pieces.length - 1 ? 1 : 0)
    const cost = costOf(pieces[at] ?? '', count)
    // A piece by itself makes a gap more, one between two kept ones a gap less.
    const gapsThen = gaps + 1 - joins
    if (left < GAP_TOKENS * 2) break
    if (cost + Math.max(0, gapsThen) * GAP_TOKENS > left) continue
    kept[at] = 1
    left -= cost
    gaps = gapsThen
  }
  for (let at = 1; at < pieces.length - 1; at++) {
    const beside = (kept[at - 1] ?? 0) + (kept[at + 1] ?? 0)
    // The mark of a gap takes as much as a short line; a line alone that says nothing is no more than one.
    if (beside === 2 && costOf(pieces[at] ?? '', count) <= GAP_LINE_TOKENS) kept[at] = 1
    if (beside === 0 && saysNothing(pieces[at] ?? '')) kept[at] = 0
  }
  return { pieces, lineOf, runs: runsOf(kept) }
}

/** Brackets, rules across a page, rows of numbers. */
const saysNothing = (line: string): boolean => !/\p{L}\p{L}/u.test(line)

/** Very long lines, as minified or escaped text has them, are chosen from piece by piece. */
function inPieces(lines: readonly string[]): Pieces {
  const pieces: string[] = []
  const lineOf: number[] = []
  for (const [at, line] of lines.entries())
    for (let from = 0; from === 0 || from < line.length; ) {
      const to = line.length - from <= PIECE_CHARS_MAX ? line.length : breakAfter(line, from)
      pieces.push(line.slice(from, to))
      lineOf.push(at)
      from = Math.max(to, 1)
    }
  return { pieces, lineOf }
}

/** Behind the last space of a piece, and never inside a character. */
function breakAfter(line: string, from: number): number {
  const space = line.lastIndexOf(' ', from + PIECE_CHARS_MAX - 1) + 1
  if (space > from + (PIECE_CHARS_MAX >> 1)) return space
  const code = line.charCodeAt(from + PIECE_CHARS_MAX - 1)
  return from + PIECE_CHARS_MAX - (code >= 0xd800 && code < 0xdc00 ? 1 : 0)
}

export const costOf = (line: string, count: Count): number => count(line) + 1

/** With less, no item fits. */
const ITEM_TOKENS_MIN = 8

/** The first of some items that fit a budget together; what is too large leaves its place to smaller ones. */
export function firstThatFit<T>(items: Iterable<T>, budget: number, cost: (item: T) => number): T[] {
  const fitting: T[] = []
  let left = budget
  for (const item of items) {
    const tokens = cost(item)
    if (tokens > left && left < ITEM_TOKENS_MIN) break
    if (tokens > left) continue
    fitting.push(item)
    left -= tokens
  }
  return fitting
}

/** What lines cost, or anything above the budget once that is passed. */
export function costUpTo(lines: readonly string[], budget: number, count: Count): number {
  let cost = 0
  for (const line of lines) {
    cost += costOf(line, count)
    if (cost > budget) break
  }
  return cost
}

/** A line counts by what speaks of the work at hand around it, by the marks it must stay for, and by both ends. */
function byScore(
  { pieces: lines, lineOf }: Pieces,
  highlights: readonly number[],
  interest: (line: string) => number,
  { first, fall, last, above, below }: Kind,
): Ranked {
  const own = Int32Array.from(lines, interest)
  const score = new Int32Array(lines.length)
  for (let at = 0; at < lines.length; at++) {
    let sum = 0
    for (let far = -above; far <= below; far++) sum += (own[at + far] ?? 0) * (above + 1 - Math.abs(far))
    score[at] = Math.floor(sum / (above + 1))
  }
  const raise = (mark: number, least: number, slope = SLOPE) => {
    const reach = Math.ceil(least / slope)
    for (let at = Math.max(0, mark - reach); at < Math.min(lines.length, mark + reach); at++)
      score[at] = Math.max(score[at] ?? 0, least - Math.abs(at - mark) * slope)
  }
  for (const line of highlights) if (line <= (lineOf.at(-1) ?? 0)) raise(lineOf.indexOf(line), HIGHLIGHT)
  raise(lines.length - 1, last, fall)
  raise(0, first, fall)
  for (const [at, line] of lines.entries()) if (saysNothing(line)) score[at] = (score[at] ?? 0) - NOTHING
  const order = [...lines.keys()].sort((a, b) => (score[b] ?? 0) - (score[a] ?? 0) || b - a)
  return { pieces: lines, lineOf, order }
}

function runsOf(kept: Uint8Array): Run[] {
  const runs: Run[] = []
  for (let at = 0; at < kept.length; at++) {
    if (kept[at] === 0) continue
    const last = runs.at(-1)
    if (last?.to === at) runs[runs.length - 1] = { from: last.from, to: at + 1 }
    else runs.push({ from: at, to: at + 1 })
  }
  return runs
}

/** The text with a mark for each gap: on a line of its own, or inside a long line. */
export function textOf(fitted: Fitted): string {
  const { pieces, lineOf, runs } = fitted
  const shown: string[] = []
  let at = 0
  for (const run of [...runs, { from: pieces.length, to: pieces.length }]) {
    if (run.from > at) shown.push(gapLine(linesBetween(lineOf, at, run.from)))
    if (run.to > run.from) shown.push(runText(fitted, run))
    at = run.to
  }
  return shown.join('\n')
}

const linesBetween = (lineOf: readonly number[], from: number, to: number): number =>
  Math.max(1, (lineOf[to - 1] ?? 0) - (lineOf[from] ?? 0) + 1)

/** Pieces as the lines they belong to; `…` where a line begins or ends elsewhere. */
export function runText({ pieces, lineOf }: Fitted, { from, to }: Run): string {
  let text = lineOf[from] === lineOf[from - 1] ? '…' : ''
  for (let at = from; at < to; at++)
    text += (at > from && lineOf[at] !== lineOf[at - 1] ? '\n' : '') + pieces[at]
  return lineOf[to] === lineOf[to - 1] && to < pieces.length ? `${text}…` : text
}
