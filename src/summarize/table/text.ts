import { readDelimited } from './delimited.ts'

/** Rows that were printed as text. */
export interface TextTable {
  /** Empty when the output names none. */
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** How many rows there are, where the output says so: it may show fewer. */
  readonly stated?: number
  /** Lines around the table: notices, timings. */
  readonly others: readonly string[]
}

const ROWS_MAX = 5_000
const COLUMNS_MAX = 200
/** How much of an output must be a table for it to be one. */
const SHARE_MIN = 0.6
const FOOTER =
  /^\s*(?:\((\d{1,12}) rows?\)|(\d{1,12}) rows? in set.{0,40}|\[(\d{1,12}) rows x \d{1,6} columns\])\s*$/
const RULE = /^[\s|+:=─━═│┃┼╪├┤┌┬┐└┴┘╞╡╭╮╰╯-]{3,}$/

/**
 * The table that an output is, as psql, mysql, sqlite3, duckdb, pandas and Markdown write them, or separated values.
 * `listed` also takes lines of values without names, as `sqlite3` prints them. Undefined when it is none.
 */
export function readTable(lines: readonly string[], listed: boolean): TextTable | undefined {
  const all = lines.filter((line) => line !== '')
  const filled = all.slice(0, ROWS_MAX)
  if (filled.length === 0) return undefined
  let stated: number | undefined
  const body = filled.filter((line) => {
    const footer = FOOTER.exec(line)
    if (footer) stated = Number(footer[1] ?? footer[2] ?? footer[3])
    return !footer
  })
  const table =
    byRecord(body) ??
    byBars(body) ??
    byDashes(body, stated !== undefined) ??
    byIndex(body, stated !== undefined) ??
    readDelimited(body, listed)
  if (!table) return undefined
  if (
    table.rows.length + 1 < (body.length - countRules(body)) * SHARE_MIN &&
    table.rows.length > 0 &&
    !isExpanded(body)
  )
    return undefined
  stated ??= all.length > filled.length ? table.rows.length + all.length - filled.length : undefined
  return stated === undefined ? table : { ...table, stated }
}

const countRules = (lines: readonly string[]): number => lines.filter((line) => RULE.test(line)).length

const RECORD = /^(?:-\[ RECORD \d+ \][-+]*|\*{3,} \d+\. row \*{3,})$/

const isExpanded = (lines: readonly string[]): boolean => RECORD.test(lines[0]?.trim() ?? '')

/** One value a line, each record under a head of its own: `psql -x`, mysql's `\G`. */
function byRecord(lines: readonly string[]): TextTable | undefined {
  if (!isExpanded(lines)) return undefined
  const columns: string[] = []
  const rows: string[][] = []
  for (const line of lines) {
    if (RECORD.test(line.trim())) {
      rows.push([])
      continue
    }
    const middle = line.search(/ ?[|:] /)
    if (middle === -1) continue
    const name = line.slice(0, middle).trim()
    let at = columns.indexOf(name)
    if (at === -1 && columns.length < COLUMNS_MAX) at = columns.push(name) - 1
    const row = rows.at(-1)
    if (row)
      row[at] = line
        .slice(middle)
        .replace(/^ ?[|:] /, '')
        .trim()
  }
  return { columns, rows: rows.map((row) => columns.map((_, at) => row[at] ?? '')), others: [] }
}

/** Cells between bars, with a rule under the names: psql, mysql, `sqlite3 -box`, Markdown. */
function byBars(lines: readonly string[]): TextTable | undefined {
  const rows: string[][] = []
  const others: string[] = []
  let head: string[] | undefined
  for (const [at, line] of lines.entries()) {
    if (RULE.test(line)) continue
    if (!/[|│┃]/.test(line)) {
      others.push(line)
      continue
    }
    const cells = cellsOf(line)
    if (head === undefined && RULE.test(lines[at + 1] ?? '')) head = cells
    else if (head !== undefined && cells.length === head.length) rows.push(cells)
    else others.push(line)
  }
  return head === undefined || !isHead(head) ? undefined : { columns: head, rows, others }
}

/** Every column has a name; lines of a tree have bars too. */
const isHead = (cells: readonly string[]): boolean =>
  cells.length > 0 && cells.every((cell) => /[\p{L}\p{N}?#*]/u.test(cell) && !/[├└─]/.test(cell))

function cellsOf(line: string): string[] {
  const cells = line.trim().split(/[|│┃]/)
  if (cells[0]?.trim() === '' && /^\s*[|│┃]/.test(line)) cells.shift()
  if (cells.at(-1)?.trim() === '' && /[|│┃]\s*$/.test(line)) cells.pop()
  return cells.map((cell) => cell.trim())
}

/** Columns as wide as the dashes under their names: `sqlite3 -column`. */
function byDashes(lines: readonly string[], sure: boolean): TextTable | undefined {
  const rule = sure ? /^-+(?: {1,4}-+)* *$/ : /^-+(?: {1,4}-+)+ *$/
  const at = lines.findIndex((line) => rule.test(line))
  const names = lines[at - 1]
  const dashes = lines[at]
  if (names === undefined || dashes === undefined) return undefined
  const starts = [...dashes.matchAll(/-+/g)].map((match) => match.index)
  const cut = (line: string) => starts.map((start, column) => line.slice(start, starts[column + 1]).trim())
  const columns = cut(names)
  if (!isHead(columns)) return undefined
  return { columns, rows: lines.slice(at + 1).map(cut), others: lines.slice(0, at - 1) }
}

/** A data frame: names over columns that are set right, each row behind its number. */
function byIndex(lines: readonly string[], sure: boolean): TextTable | undefined {
  const [names, ...rest] = lines
  if (names === undefined || rest.length < (sure ? 1 : 2) || !/^\s{2,}\S/.test(names)) return undefined
  const columns = names.trim().split(/\s+/)
  const rows = rest
    .filter((line) => !/^\s*\.\.\.|^\s*\.\.[ .]+$/.test(line))
    .map((line) => line.trim().split(/\s{2,}/))
  const numbered = rows.every((row, at) => /^\d+$/.test(row[0] ?? '') && (sure || row[0] === String(at)))
  const even = rows.filter((row) => row.length === columns.length + 1).length
  if (!numbered || even < rows.length * 0.8) return undefined
  return {
    columns: ['#', ...columns],
    rows: rows.filter((row) => row.length === columns.length + 1),
    others: [],
  }
}
