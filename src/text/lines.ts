const LINE_CHARS_MAX = 240

/** A line at a length a sentence can hold: leading space folded, the middle of a long line left out. */
export function shortLine(text: string): string {
  const line = text.trim()
  if (line.length <= LINE_CHARS_MAX) return line
  const half = LINE_CHARS_MAX >> 1
  return `${line.slice(0, half).toWellFormed()} … ${line.slice(-half + 3).toWellFormed()}`
}

export const onOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** Words of others inside a sentence. */
export const quoted = (text: string): string => `"${text.replaceAll('"', "'")}"`

/** The first of several names; that there are more is shown. */
export const firstOf = (names: readonly string[], max: number): string =>
  names.length <= max ? names.join(', ') : `${names.slice(0, max).join(', ')}, …`

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${inThousands(count)} ${count === 1 ? one : many}`

/** `1,234,567`, by hand: the first use of the system's own formatting takes longer than a summary may. */
function inThousands(count: number): string {
  let digits = String(count)
  if (!Number.isSafeInteger(count)) return digits
  let grouped = ''
  for (; /^-?\d{4}/.test(digits); digits = digits.slice(0, -3)) grouped = `,${digits.slice(-3)}${grouped}`
  return digits + grouped
}

/** How many lines stand for: who has many names the first of them, and then how many more there are. */
export const countNamed = (lines: readonly string[]): number =>
  lines.reduce((sum, line) => sum + Number(/^and (\d+) more/.exec(line)?.[1] ?? 1), 0)
