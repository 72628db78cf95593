/** How lines of a kind of text count where not all fit. */
export interface Kind {
  /** What the first and the last line count, and how much less each line farther from either end does. */
  readonly first: number
  readonly last: number
  readonly fall: number
  /** So many lines above and below take part of a line's score: what is shown stands together. */
  readonly around: number
}
/** An output says at its end how it went; a line of it may stand for itself. */
export const OUTPUT: Kind = { first: 60, last: 160, fall: 2, around: 2 }
/** A file may matter anywhere, and its lines mean something together. */
export const FILE: Kind = { first: 12, last: 24, fall: 2, around: 10 }
/** A long task says first what it is about and last how to end it. */
export const GOAL: Kind = { first: 400, last: 120, fall: 50, around: 0 }
/** A call or a request says first what it is about. */
export const WORDS: Kind = { first: 400, last: 90, fall: 2, around: 5 }
/** What a person pasted begins and ends with their words. */
export const PROSE: Kind = { first: 400, last: 395, fall: 10, around: 0 }
/** Of what was thought the end says what follows. */
export const THOUGHT: Kind = { first: 60, last: 400, fall: 20, around: 1 }

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

/** A line, or a part of a very long one as minified or escaped text has them. */
interface Piece {
  readonly text: string
  readonly line: number
}

/** Shows as much of a text as a budget allows, the lines that count most. They are ranked once, and only if it is too long. */
export function cutter(
  text: Text,
  cost: (line: string) => number,
  interest: (line: string) => number,
  whole = text.lines.reduce((sum, line) => sum + cost(line), 0),
): (tokens: number) => readonly Run[] {
  let pieces: readonly Piece[] | undefined
  let order: readonly number[] = []
  return (tokens) => {
    if (whole <= tokens) return [{ from: 0, text: text.lines.join('\n') }]
    if (!pieces) {
      pieces = text.lines.flatMap(piecesOf)
      order = ranked(pieces, text, interest)
    }
    return runsOf(pieces, chosen(pieces, order, tokens, cost))
  }
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

function piecesOf(whole: string, line: number): Piece[] {
  const pieces: Piece[] = []
  let rest = whole
  for (; rest.length > PIECE_CHARS_MAX; rest = rest.slice(pieces.at(-1)?.text.length))
    pieces.push({ text: rest.slice(0, breakIn(rest)), line })
  return [...pieces, { text: rest, line }]
}

/** Behind the last space of a piece, and never inside a character. */
function breakIn(text: string): number {
  const space = text.lastIndexOf(' ', PIECE_CHARS_MAX - 1) + 1
  if (space > PIECE_CHARS_MAX >> 1) return space
  const code = text.charCodeAt(PIECE_CHARS_MAX - 1)
  return PIECE_CHARS_MAX - (code >= 0xd800 && code < 0xdc00 ? 1 : 0)
}

/** Their indexes by score: by what speaks of the work at hand around them, by the marks near them, and by both ends. */
function ranked(
  pieces: readonly Piece[],
  { highlights = [], kind: { first, last, fall, around } }: Text,
  interest: (line: string) => number,
): number[] {
  const end = pieces.length - 1
  const own = pieces.map(({ text }) => interest(text))
  const marked = new Set(highlights)
  const mark = pieces.map(({ line }, at): number =>
    marked.has(line) && pieces[at - 1]?.line !== line ? HIGHLIGHT : 0,
  )
  for (let at = 1; at <= end; at++) mark[at] = Math.max(mark[at] ?? 0, (mark[at - 1] ?? 0) - SLOPE)
  for (let at = end - 1; at >= 0; at--) mark[at] = Math.max(mark[at] ?? 0, (mark[at + 1] ?? 0) - SLOPE)
  const score = Int32Array.from(own, (_, at) => {
    let sum = 0
    for (let far = -around; far <= around; far++) sum += (own[at + far] ?? 0) * (around + 1 - Math.abs(far))
    const near = Math.floor(sum / (around + 1))
    return Math.max(near, mark[at] ?? 0, first - at * fall, last - (end - at) * fall)
  })
  return [...pieces.keys()].sort((a, b) => (score[b] ?? 0) - (score[a] ?? 0) || b - a)
}

function chosen(
  pieces: readonly Piece[],
  order: readonly number[],
  tokens: number,
  cost: (line: string) => number,
): ReadonlySet<number> {
  const kept = new Set<number>()
  const joins = (at: number): number => (kept.has(at) || at < 0 || at >= pieces.length ? 1 : 0)
  let [left, gaps] = [tokens, 1]
  for (const at of order) {
    if (left < GAP_TOKENS * 2) break
    // A piece by itself makes a gap more, one between two kept ones a gap less.
    const gapsThen = gaps + 1 - joins(at - 1) - joins(at + 1)
    const tokensOf = cost(pieces[at]?.text ?? '')
    if (tokensOf + Math.max(0, gapsThen) * GAP_TOKENS > left) continue
    kept.add(at)
    left -= tokensOf
    gaps = gapsThen
  }
  return kept
}

/** What is kept as the lines it belongs to, `…` where a line goes on. A line without a word beside a gap shows nothing. */
function runsOf(pieces: readonly Piece[], kept: ReadonlySet<number>): Run[] {
  const shown = new Map<number, string>()
  for (const [at, { text, line }] of pieces.entries()) {
    if (!kept.has(at)) continue
    const isCut = (beside: number): boolean => pieces[beside]?.line === line && !kept.has(beside)
    const before = shown.get(line) ?? (isCut(at - 1) ? '…' : '')
    shown.set(line, `${before}${text}${isCut(at + 1) ? '…' : ''}`)
  }
  const end = pieces.at(-1)?.line ?? 0
  const runs: { from: number; lines: string[] }[] = []
  for (const [line, text] of shown) {
    const run = runs.at(-1)
    if (run && run.from + run.lines.length === line) run.lines.push(text)
    else runs.push({ from: line, lines: [text] })
  }
  return runs.flatMap(({ from, lines: own }) => {
    const first = from === 0 ? 0 : own.findIndex(isTelling)
    const last = from + own.length > end ? own.length - 1 : own.findLastIndex(isTelling)
    return first < 0 || last < first
      ? []
      : [{ from: from + first, text: own.slice(first, last + 1).join('\n') }]
  })
}

const isTelling = (line: string): boolean => /[\p{L}\p{N}]/u.test(line)
