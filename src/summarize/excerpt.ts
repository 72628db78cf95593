/** Lines of a file as a viewer showed them, without the viewer's own words and the column of numbers. */
export interface Excerpt {
  /** Number of the first line. */
  readonly from: number
  readonly lines: readonly string[]
  /** The file that the viewer names. */
  readonly path?: string
  /** What stands around the file's lines. */
  readonly around: readonly string[]
}

const HEADS: readonly RegExp[] = [
  /^\[File: (.{1,400}?) \(\d+ lines? total/,
  /`cat -n` on (?:a snippet of )?(\S.{0,400}?):?$/,
  /^<(?:path|file)>(.{1,400}?)<\/(?:path|file)>/,
]
const NUMBER = /^ {0,12}(\d{1,7})(\t|→|:|\|)?/
const AROUND_LINES_MAX = 12
const RUNS_MAX = 4

/**
 * The runs of lines that bring rising numbers, as `cat -n`, `nl` and viewers write them. Empty when there is none, or much
 * besides them: then the text is not a file's with certainty.
 */
export function numberedExcerpts(lines: readonly string[]): readonly Excerpt[] {
  const runs: { from: number; rows: string[]; mark: string }[] = []
  const around: string[] = []
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? ''
    const [mark, from] = lineMark(line)
    if (mark === '' || (runs[0] !== undefined && runs[0].mark !== mark)) {
      if (line.trim() !== '') around.push(line)
      if (around.length > AROUND_LINES_MAX) return []
      at++
      continue
    }
    const rows: string[] = []
    for (; at < lines.length; at++) {
      const row = rowOf(lines[at] ?? '', from + rows.length, mark)
      if (row === undefined) break
      rows.push(row)
    }
    runs.push({ from, rows, mark })
    if (runs.length > RUNS_MAX) return []
  }
  const path = around.flatMap((line) => pathIn(line) ?? [])[0]
  return runs.map(({ from, rows, mark }) => ({
    from,
    lines: withoutGap(rows, mark),
    around,
    ...(path === undefined ? {} : { path }),
  }))
}

const pathIn = (line: string): string | undefined =>
  HEADS.map((head) => head.exec(line)?.[1]).find((path) => path !== undefined)

/** Most lines bring a number: they are not a file's own, whatever is between them. */
export function looksNumbered(lines: readonly string[]): boolean {
  const some = lines.slice(0, 50)
  return some.filter((line) => NUMBER.exec(line)?.[2] !== undefined).length > some.length / 2
}

/** The character behind the number, and the number; no character where the line has no number of its own. */
function lineMark(line: string): [string, number] {
  const [, number = '0', mark = ''] = NUMBER.exec(line) ?? []
  return [mark, Number(number)]
}

/** The text behind a number; undefined when the line has another one. */
function rowOf(line: string, number: number, mark: string): string | undefined {
  const text = line.trimStart()
  if (text === String(number)) return ''
  const before = `${number}${mark}`
  return text.startsWith(before) ? text.slice(before.length) : undefined
}

/** A space that stands behind the mark on every line is the viewer's, unless all of the text may be indented. */
function withoutGap(rows: readonly string[], mark: string): readonly string[] {
  if (mark === '\t' || mark === '→') return rows
  const filled = rows.filter((row) => row !== '')
  const isGap = filled.every((row) => row.startsWith(' ')) && filled.some((row) => /^ [^ ]/.test(row))
  return isGap ? rows.map((row) => row.slice(1)) : rows
}

/** A harness left lines out, or broke off: what stands there is not the file's. */
const CUT =
  /^(?:⋮|\.{3}|…)|^\W{0,6}\b(?:\d[\d,]* (?:more )?(?:lines|characters|chars|bytes) )?(?:truncated|omitted|elided|not shown)\b|^\[?(?:output|file|content|result)s? (?:was |is |has been )?(?:truncated|too long|cut)/i

/** Plain lines of a file up to where its viewer cut them; what stands behind is for a reader only. */
export function plainExcerpt(
  lines: readonly string[],
  from: number,
): { excerpt: Excerpt; rest: readonly string[] } | undefined {
  const end = lines.findIndex(isCut)
  if (end === -1) return { excerpt: { from, lines, around: [] }, rest: [] }
  // The line before a cut may have been cut as well, unless a blank one ends the file's part.
  const blank = lines[end - 1] === ''
  const shown = lines.slice(0, Math.max(0, end - 1))
  const rest = end === lines.length - 1 && blank ? [] : lines.slice(blank ? end : end - 1)
  return shown.length === 0 ? undefined : { excerpt: { from, lines: shown, around: [] }, rest }
}

const isCut = (line: string): boolean =>
  line.length < 300 &&
  CUT.test(line) &&
  /\b(?:truncated|omitted|elided|not shown|more lines|too long|cut)\b|^⋮/i.test(line)
