/** A row of a raw field: a line of it, or some of a longer line. */
export interface OutputRow {
  /** Where it begins, in bytes. */
  readonly at: number
  /** Number of its line, from 1. */
  readonly line: number
  readonly text: string
  /** It goes on with the line of the row before. */
  readonly continues?: true
}

/** A longer line is several rows, so that no row is slow to draw. */
const ROW_BYTES_MAX = 1_024
export const NEWLINE = 0x0a

/** The rows of bytes that stand somewhere in a field; `isInLine` when the line of their first row began before them. */
export function outputRows(
  bytes: Uint8Array,
  { at, line, isInLine }: { readonly at: number; readonly line: number; readonly isInLine: boolean },
): OutputRow[] {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const starts = rowStarts(bytes)
  let number = line
  return starts.map((start, index) => {
    const next = starts[index + 1] ?? bytes.length
    const isEnd = bytes[next - 1] === NEWLINE
    const continues = start > 0 ? bytes[start - 1] !== NEWLINE : isInLine
    const text = decoder.decode(bytes.subarray(start, isEnd ? next - 1 : next))
    const row = { at: at + start, line: number, text, ...(continues ? { continues } : {}) }
    if (isEnd) number++
    return row
  })
}

/** Where rows begin: after each line feed, and within a line after so many bytes, never inside a character. */
export function rowStarts(bytes: Uint8Array): number[] {
  const starts: number[] = []
  for (let start = 0; start < bytes.length; ) {
    starts.push(start)
    const feed = bytes.indexOf(NEWLINE, start)
    const end = feed < 0 ? bytes.length : feed + 1
    let next = Math.min(end, start + ROW_BYTES_MAX)
    while (next < end && next > start + 1 && ((bytes[next] ?? 0) & 0xc0) === 0x80) next--
    start = next
  }
  return starts
}
