import type { Count } from '../view.ts'

/** What a gap in a text is shown as; a number tells how many lines were left out. */
export const gapLine = (lines: number): string => (lines === 1 ? '⋮' : `⋮ ${lines} lines`)
const GAP_TOKENS = 6

/** How much a line that must stay counts, and how much of it each line farther away loses. */
const HIGHLIGHT = 90
const HIGHLIGHTS_FALL = 2
const LAST_LINE = 70
const FIRST_LINE = 50
const SLOPE = 3
const LINE_CHARS_MIN = 160

/** Lines that stand together, by index: from, and up to but not including. */
export interface Run {
  readonly from: number
  readonly to: number
}

export interface Fitted {
  readonly lines: readonly string[]
  readonly runs: readonly Run[]
}

/**
 * As many lines of a text as a budget allows. Every line has a score: what must stay, what speaks of the work at hand,
 * both ends; a line near another takes part of its score, so that what is shown stands together.
 */
export function fitLines(
  all: readonly string[],
  budget: number,
  count: Count,
  highlights: readonly number[],
  interest: (line: string) => number,
): Fitted {
  if (costUpTo(all, budget, count) <= budget) return { lines: all, runs: [{ from: 0, to: all.length }] }
  const lines = withinLine(all, budget, count)
  const score = scores(lines, highlights, interest)
  const order = [...lines.keys()].sort((a, b) => (score[b] ?? 0) - (score[a] ?? 0) || b - a)
  const kept = new Uint8Array(lines.length)
  let left = budget
  let gaps = 1
  for (const at of order) {
    const joins =
      (kept[at - 1] ?? 0) + (kept[at + 1] ?? 0) + (at === 0 ? 1 : 0) + (at === lines.length - 1 ? 1 : 0)
    const cost = costOf(lines[at] ?? '', count)
    // A line by itself makes a gap more, one between two kept lines a gap less.
    const gapsThen = gaps + 1 - joins
    if (cost + Math.max(0, gapsThen) * GAP_TOKENS > left) {
      if (left < GAP_TOKENS * 2) break
      continue
    }
    kept[at] = 1
    left -= cost
    gaps = gapsThen
  }
  return { lines, runs: runsOf(kept).flatMap((run) => withoutBlankEnds(run, lines)) }
}

/** Blank lines at the ends of a run tell nothing, and a run of nothing else is none. */
function withoutBlankEnds({ from, to }: Run, lines: readonly string[]): Run[] {
  let [first, end] = [from, to]
  while (first < end && isBlank(lines[first])) first++
  while (end > first && isBlank(lines[end - 1])) end--
  return first < end ? [{ from: first, to: end }] : []
}

const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === ''

export const costOf = (line: string, count: Count): number => count(line) + 1

/** The first of some items that fit a budget together. */
export function firstThatFit<T>(items: readonly T[], budget: number, cost: (item: T) => number): T[] {
  const fitting: T[] = []
  let left = budget
  for (const item of items) {
    left -= cost(item)
    if (left < 0) break
    fitting.push(item)
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

/** A line that would take most of the budget is shown by both its ends. */
function withinLine(lines: readonly string[], budget: number, count: Count): readonly string[] {
  const most = Math.floor(budget / 3)
  return lines.map((line) => {
    if (line.length <= LINE_CHARS_MIN || costOf(line, count) <= most) return line
    const chars = Math.max(LINE_CHARS_MIN, Math.min(line.length, most * 3)) >> 1
    return `${line.slice(0, chars)} … ${line.slice(-chars)}`.toWellFormed()
  })
}

function scores(
  lines: readonly string[],
  highlights: readonly number[],
  interest: (line: string) => number,
): Int32Array {
  const score = new Int32Array(lines.length)
  for (const [at, line] of lines.entries()) score[at] = interest(line)
  for (const [rank, at] of highlights.entries())
    if (at < lines.length) score[at] = Math.max(score[at] ?? 0, HIGHLIGHT - rank * HIGHLIGHTS_FALL)
  const last = lines.length - 1
  score[last] = Math.max(score[last] ?? 0, LAST_LINE)
  score[0] = Math.max(score[0] ?? 0, FIRST_LINE)
  for (let at = 1; at <= last; at++) score[at] = Math.max(score[at] ?? 0, (score[at - 1] ?? 0) - SLOPE)
  for (let at = last - 1; at >= 0; at--) score[at] = Math.max(score[at] ?? 0, (score[at + 1] ?? 0) - SLOPE)
  return score
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

/** The text with a mark for each gap. */
export function textOf({ lines, runs }: Fitted): string {
  const shown: string[] = []
  let at = 0
  for (const { from, to } of runs) {
    if (from > at) shown.push(gapLine(from - at))
    shown.push(...lines.slice(from, to))
    at = to
  }
  if (at < lines.length) shown.push(gapLine(lines.length - at))
  return shown.join('\n')
}
