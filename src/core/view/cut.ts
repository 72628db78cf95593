/** How lines of a kind of text count where not all fit. */
export interface Kind {
  /** What the first and the last line count, and how much less each line farther from either end does. */
  readonly first: number
  readonly last: number
  readonly fall: number
  /** Lines above and below that a line's score takes in. */
  readonly above: number
  readonly below: number
}
/** An output says at its end how it went; a line of it may stand for itself. */
export const OUTPUT: Kind = { first: 60, last: 160, fall: 2, above: 2, below: 2 }
/** A file may matter anywhere, and its lines mean something together. */
export const FILE: Kind = { first: 12, last: 24, fall: 2, above: 10, below: 10 }
/** A long task says first what it is about and last how to end it. */
export const GOAL: Kind = { first: 400, last: 120, fall: 50, above: 0, below: 0 }
/** A call or a request says first what it is about. */
export const WORDS: Kind = { first: 400, last: 90, fall: 2, above: 5, below: 5 }
/** Of what was thought the end says what follows. */
export const THOUGHT: Kind = { first: 60, last: 400, fall: 20, above: 1, below: 1 }

/** A text that may be cut. */
export interface Text {
  readonly lines: readonly string[]
  readonly kind: Kind
  /** Lines that must stay, from 0. */
  readonly highlights?: readonly number[]
}

/** Lines that stand together, and the first one's number in the text, from 0. */
export interface Run {
  readonly from: number
  readonly text: string
}

/** What the mark of a gap is taken to cost. */
const GAP_TOKENS = 6
/** How much a line that must stay counts, and how much less each line farther away does. */
const HIGHLIGHT = 130
const SLOPE = 2
const PIECE_CHARS_MAX = 240

/**
 * Shows as much of a text as a budget allows. Every line has a score: what must stay, what speaks of the work at hand,
 * both ends; a line near another takes part of its score, so that what is shown stands together. Scores are made once,
 * and only where the text is too long.
 */
export function cutter(
  text: Text,
  cost: (line: string) => number,
  interest: (line: string) => number,
  whole = costUpTo(text.lines, Number.MAX_SAFE_INTEGER, cost),
): (tokens: number) => readonly Run[] {
  const { lines } = text
  let ranked: Ranked | undefined
  return (tokens) => {
    if (whole <= tokens) return [{ from: 0, text: lines.join('\n') }]
    ranked ??= byScore(inPieces(lines), text, interest)
    return runsOf(ranked, chosen(ranked, tokens, cost))
  }
}

/** What lines cost, or anything above the budget once that is passed. */
function costUpTo(lines: readonly string[], tokens: number, cost: (line: string) => number): number {
  let sum = 0
  for (const line of lines) {
    sum += cost(line)
    if (sum > tokens) break
  }
  return sum
}

/** The text with a mark for each gap. */
export function joinRuns(runs: readonly Run[], lines: number): string {
  const shown: string[] = []
  let next = 0
  for (const { from, text } of [...runs, { from: lines, text: undefined }]) {
    const gap = from - next
    if (gap > 0) shown.push(gap === 1 ? '⋮' : `⋮ ${gap} lines`)
    if (text !== undefined) shown.push(text)
    next = from + (text?.split('\n').length ?? 0)
  }
  return shown.join('\n')
}

/** Whole lines; very long ones in several pieces. `lineOf` is the line that each piece belongs to. */
interface Pieces {
  readonly pieces: readonly string[]
  readonly lineOf: readonly number[]
}
/** And their indexes by score. */
type Ranked = Pieces & { readonly order: readonly number[] }

function chosen({ pieces, order }: Ranked, tokens: number, cost: (line: string) => number): Uint8Array {
  const kept = new Uint8Array(pieces.length)
  let left = tokens
  let gaps = 1
  for (const at of order) {
    if (left < GAP_TOKENS * 2) break
    const joins =
      (kept[at - 1] ?? 0) + (kept[at + 1] ?? 0) + (at === 0 ? 1 : 0) + (at === pieces.length - 1 ? 1 : 0)
    // A piece by itself makes a gap more, one between two kept ones a gap less.
    const gapsThen = gaps + 1 - joins
    const tokensOf = cost(pieces[at] ?? '')
    if (tokensOf + Math.max(0, gapsThen) * GAP_TOKENS > left) continue
    kept[at] = 1
    left -= tokensOf
    gaps = gapsThen
  }
  withoutBlankEdges(pieces, kept)
  return kept
}

/** A blank line beside a gap shows nothing; at either end of the text it belongs to what stands there. */
function withoutBlankEdges(pieces: readonly string[], kept: Uint8Array): void {
  const drop = (from: number, step: 1 | -1): void => {
    let isBeside = true
    for (let at = from; at >= 0 && at < pieces.length; at += step) {
      if (kept[at] === 0) isBeside = false
      else if (pieces[at]?.trim() !== '') isBeside = true
      else if (!isBeside) kept[at] = 0
    }
  }
  drop(0, 1)
  drop(pieces.length - 1, -1)
}

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

/** A line counts by what speaks of the work at hand around it, by the marks it must stay for, and by both ends. */
function byScore(
  { pieces, lineOf }: Pieces,
  { highlights = [], kind: { first, last, fall, above, below } }: Text,
  interest: (line: string) => number,
): Ranked {
  const own = Int32Array.from(pieces, interest)
  const score = new Int32Array(pieces.length)
  for (let at = 0; at < pieces.length; at++) {
    let sum = 0
    for (let far = -above; far <= below; far++) sum += (own[at + far] ?? 0) * (above + 1 - Math.abs(far))
    score[at] = Math.floor(sum / (above + 1))
  }
  const raise = (marks: Iterable<number>, least: number, slope: number): void => {
    const raised = new Int32Array(pieces.length)
    for (const mark of marks) raised[mark] = least
    for (let at = 1; at < raised.length; at++)
      raised[at] = Math.max(raised[at] ?? 0, (raised[at - 1] ?? 0) - slope)
    for (let at = raised.length - 2; at >= 0; at--)
      raised[at] = Math.max(raised[at] ?? 0, (raised[at + 1] ?? 0) - slope)
    for (const [at, by] of raised.entries()) score[at] = Math.max(score[at] ?? 0, by)
  }
  const marked = new Set(highlights)
  raise(
    lineOf.keys().filter((at) => marked.has(lineOf[at] ?? 0) && lineOf[at - 1] !== lineOf[at]),
    HIGHLIGHT,
    SLOPE,
  )
  raise([pieces.length - 1], last, fall)
  raise([0], first, fall)
  const order = [...pieces.keys()].sort((a, b) => (score[b] ?? 0) - (score[a] ?? 0) || b - a)
  return { pieces, lineOf, order }
}

/** Kept pieces as the lines they belong to; `…` where a line begins or ends elsewhere. */
function runsOf({ pieces, lineOf }: Pieces, kept: Uint8Array): Run[] {
  const runs: { from: number; text: string }[] = []
  for (let at = 0; at < kept.length; at++) {
    if (kept[at] === 0) continue
    const line = lineOf[at] ?? 0
    const isInside = lineOf[at - 1] === line
    const run = runs.at(-1)
    const ends = lineOf[at + 1] === line && kept[at + 1] === 0 ? '…' : ''
    const piece = `${pieces[at]}${ends}`
    if (run && kept[at - 1] === 1) run.text += `${isInside ? '' : '\n'}${piece}`
    else if (run && isInside && runs.length > 0 && lastLineOf(run) === line) run.text += piece
    else runs.push({ from: line, text: `${isInside ? '…' : ''}${piece}` })
  }
  return runs
}

const lastLineOf = ({ from, text }: Run): number => from + text.split('\n').length - 1
