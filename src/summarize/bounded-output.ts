import { cutMiddle } from '../text/cut.ts'

/** More of an output no packet shows, and no delta may hold. */
export const OUTPUT_CHARS_MAX = 300_000

interface Bounded {
  readonly output: string
  readonly highlights: readonly number[]
}

/** So many important lines stay between the ends, each with so many characters and the mark of a gap. */
const HIGHLIGHTS_MAX = 40
const LINE_CHARS_MAX = 180
const GAP_CHARS = 20

/**
 * What a delta holds of an output: both its ends, the important lines between them, and how many lines are left out.
 * Looked at in one pass, since an output may have millions of lines.
 */
export function boundedOutput(text: string, highlights: readonly number[], max: number): Bounded {
  if (text.length <= max) return { output: text, highlights }
  const important = new Set(highlights.slice(0, HIGHLIGHTS_MAX))
  const left = Math.max(0, max - (important.size + 1) * (LINE_CHARS_MAX + GAP_CHARS))
  const head = Math.floor(left / 3)
  const tail = text.length - head * 2
  const shown: string[] = []
  const places = new Map<number, number>()
  let gap = 0
  const endGap = (): void => {
    if (gap > 0) shown.push(gap === 1 ? '⋮' : `⋮ ${gap} lines`)
    gap = 0
  }
  for (let from = 0, line = 0; from <= text.length; line++) {
    const feed = text.indexOf('\n', from)
    const end = feed === -1 ? text.length : feed
    // A line that one of the ends begins or ends in is shown in part.
    const before = text.slice(from, Math.min(end, head))
    const after = text.slice(Math.max(from, tail), end)
    const isWhole = end <= head || from >= tail
    if (isWhole || before !== '' || after !== '' || important.has(line)) {
      endGap()
      places.set(line, shown.length)
      shown.push(
        isWhole
          ? text.slice(from, end)
          : before === '' && after === ''
            ? cutMiddle(text.slice(from, end), LINE_CHARS_MAX)
            : `${before}…${after}`.toWellFormed(),
      )
    } else gap++
    from = end + 1
  }
  return { output: shown.join('\n'), highlights: highlights.flatMap((line) => places.get(line) ?? []) }
}
