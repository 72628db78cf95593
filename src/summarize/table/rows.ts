import { isObject } from '../../event/json.ts'
import { cut } from '../../text/cut.ts'
import { plural, quoted, shortLine } from '../../text/lines.ts'
import { failedStep, type Observation, type Summarizer, type Summary } from '../summarizer.ts'
import { within } from '../within.ts'

const DATABASES =
  /^(?:psql|mysql|mariadb|sqlite3|duckdb|clickhouse-client|clickhouse|sqlcmd|bq|cockroach|usql|litecli|pgcli)$/
const STATEMENT =
  /^\s*(?:select\s|with\s+\w|insert\s+into\s|update\s+\S+\s+set\s|delete\s+from\s|(?:create|drop|alter)\s+(?:table|index|view|database|schema)\s|show\s|describe\s|explain\s|pragma\s)/i
const ERROR =
  /^(?:psql:.{0,200}: )?(?:ERROR|FATAL): {1,2}(\S.{0,300})$|^ERROR (\d{4} \(\w{5}\).{0,300})$|^(?:Parse|Runtime) error(?: near line \d+)?: (.{1,300})$|^Error: (?:near line \d+: |in prepare, )?(.{1,300})$/
const AFFECTED =
  /^(?:INSERT \d+|UPDATE|DELETE|SELECT|MERGE|COPY) (\d{1,12})$|^Query OK, (\d{1,12}) rows? affected/
const FOOTER =
  /^\s*(?:\((\d{1,12}) rows?\)|(\d{1,12}) rows? in set.{0,40}|\[(\d{1,12}) rows x \d{1,6} columns\])\s*$/
const RULE = /^[\s|+:=─━═│┃┼╪├┤┌┬┐└┴┘╞╡╭╮╰╯-]{3,}$/
const BAR = /[|│┃]/
const LINES_MAX = 5_000

/** Rows of a database or a table: how many, of what. */
export const rows: Summarizer = {
  name: 'rows',
  summarize(seen) {
    const { intent, label } = seen.call
    if (intent.kind === 'change' || intent.kind === 'list' || intent.kind === 'read') return undefined
    const lines = within(seen.shown)
      .split('\n')
      .filter((line) => line.trim() !== '')
    const asked = isQuery(seen)
    const answer = asked ? answered(lines, label) : undefined
    if (answer) return answer
    const table = tableIn(lines)
    if (table === undefined) return undefined
    const shape = table.count === 0 ? 'no rows' : plural(table.count, 'row')
    return { summary: cut(`${label}: ${shape} of ${cut(table.columns.join(', '), 160)}`, 290) }
  },
}

/** Whether a database was asked: by its shell, or by a tool that takes a statement. */
function isQuery({ call, args }: Observation): boolean {
  if (call.programs.some(([first]) => DATABASES.test(first?.name ?? ''))) return true
  if (!isObject(args)) return false
  return ['sql', 'query', 'statement', 'q'].some((name) => {
    const value = args[name]
    return typeof value === 'string' && STATEMENT.test(value.slice(0, 400))
  })
}

/** An error, a number of changed rows, or nothing at all. */
function answered(lines: readonly string[], label: string): Summary | undefined {
  if (lines.length === 0) return { summary: cut(`${label}: no rows`, 290), output: null }
  let affected: number | undefined
  for (const line of lines.slice(0, LINES_MAX)) {
    const error = ERROR.exec(line.trim())?.slice(1).find(Boolean)
    if (error !== undefined) return failedStep(cut(`${label}: SQL error ${quoted(shortLine(error))}`, 290))
    const count = AFFECTED.exec(line.trim())
    if (count) affected = (affected ?? 0) + Number(count[1] ?? count[2])
  }
  return affected === undefined
    ? undefined
    : { summary: cut(`${label}: ${plural(affected, 'row')} affected`, 290) }
}

interface Table {
  readonly columns: readonly string[]
  readonly count: number
}

/** Cells between bars under a rule: psql, mysql, duckdb, Markdown. */
function tableIn(lines: readonly string[]): Table | undefined {
  const stated = lines.flatMap((line) => FOOTER.exec(line)?.slice(1).find(Boolean) ?? [])[0]
  const body = lines.filter((line) => !FOOTER.test(line) && !RULE.test(line))
  const head = lines.findIndex(
    (line, at) => BAR.test(line) && !RULE.test(line) && RULE.test(lines[at + 1] ?? ''),
  )
  const columns = cellsOf(lines[head] ?? '')
  if (head === -1 || !columns.every((cell) => /[\p{L}\p{N}?#*]/u.test(cell))) return undefined
  const rows = body.filter((line) => cellsOf(line).length === columns.length)
  return rows.length < body.length * 0.6
    ? undefined
    : { columns, count: stated === undefined ? rows.length - 1 : Number(stated) }
}

const cellsOf = (line: string): string[] =>
  line
    .trim()
    .replace(/^[|│┃]|[|│┃]$/g, '')
    .split(BAR)
    .map((cell) => cell.trim())
