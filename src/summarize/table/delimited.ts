import { looksNumbered } from '../excerpt.ts'
import type { TextTable } from './text.ts'

const SEPARATORS = ['\t', ',', '|', ';'] as const
const CELLS_MAX = 200

/**
 * Values separated by tabs, commas, bars or semicolons, the same number on every line. Prose has commas too: so the
 * first line must read as names of columns, unless `listed` says that a database printed it.
 */
export function readDelimited(lines: readonly string[], listed: boolean): TextTable | undefined {
  const [first] = lines
  if (first === undefined || (!listed && looksNumbered(lines))) return undefined
  for (const separator of SEPARATORS) {
    if (!first.includes(separator)) continue
    const rows = lines.map((line) => cellsOf(line, separator))
    const width = rows[0]?.length ?? 0
    const even = rows.filter((row) => row.length === width)
    if (width < 2 || width > CELLS_MAX || even.length < lines.length * 0.9) continue
    const named = isHead(rows[0] ?? [], even.slice(1))
    if (named && (listed || even.length >= 3))
      return { columns: rows[0] ?? [], rows: even.slice(1), others: [] }
    if (listed) return { columns: [], rows: even, others: [] }
  }
  return undefined
}

/** Names of columns: short, different, none a number, and not like the values under them. */
function isHead(cells: readonly string[], rows: readonly (readonly string[])[]): boolean {
  const names = cells.every((cell) => /^[\p{L}_#%][\p{L}\p{N}_ .#%()/-]{0,40}$/u.test(cell))
  if (!names || new Set(cells).size < cells.length) return false
  const typed = cells.some(
    (_, at) => rows.length > 0 && rows.every((row) => /^[\d$€£"+-]|^$/.test(row[at] ?? '')),
  )
  return typed || cells.every((cell) => /^[\p{L}_][\p{L}\p{N}_.-]*$/u.test(cell))
}

/** The cells of a line; quotes hold a separator, and two stand for one. */
function cellsOf(line: string, separator: string): string[] {
  if (!line.includes('"')) return line.split(separator).map((cell) => cell.trim())
  const cells: string[] = []
  let cell = ''
  let quoted = false
  for (let at = 0; at < line.length; at++) {
    const char = line[at]
    if (char === '"') {
      if (quoted && line[at + 1] === '"') {
        cell += '"'
        at++
      } else quoted = !quoted
    } else if (char === separator && !quoted) {
      cells.push(cell.trim())
      cell = ''
    } else cell += char
  }
  cells.push(cell.trim())
  return cells
}
