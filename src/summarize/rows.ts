import { isObject } from '../core/event/json.ts'
import { cut } from '../text/cut.ts'
import { plural, quoted, shortLine } from '../text/lines.ts'
import { failedStep, type Observation, type Summarizer } from './summarizer.ts'
import { within } from './within.ts'

const DATABASES =
  /^(?:psql|mysql|mariadb|sqlite3|duckdb|clickhouse-client|clickhouse|sqlcmd|bq|cockroach|usql|litecli|pgcli)$/
const STATEMENT =
  /^\s*(?:select\s|with\s+\w|insert\s+into\s|update\s+\S+\s+set\s|delete\s+from\s|(?:create|drop|alter)\s+(?:table|index|view|database|schema)\s|show\s|describe\s|explain\s|pragma\s)/i
const ERROR =
  /^(?:psql:.{0,200}: )?(?:(?:ERROR|FATAL): {1,2}|ERROR (?=\d{4} \()|(?:Parse|Runtime) error(?: near line \d+)?: |Error: )(\S.{0,300})$/
/** How many rows there are, or were changed. */
const COUNT =
  /^\s*(?:\((\d{1,12}) rows?\)|(\d{1,12}) rows? in set.{0,40}|(?:INSERT \d+|UPDATE|DELETE|SELECT|MERGE|COPY) (\d{1,12})|Query OK, (\d{1,12}) rows? affected.{0,40})\s*$/
const RULE = /^[\s|+:=─━═│┃┼╪├┤┌┬┐└┴┘╞╡╭╮╰╯-]{3,}$/
const BAR = /[|│┃]/

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
    const error = asked ? lines.map((line) => ERROR.exec(line)?.[1]).find(Boolean) : undefined
    if (error) return failedStep(cut(`${label}: SQL error ${quoted(shortLine(error))}`, 290))
    const columns = columnsIn(lines)
    if (!asked && columns === undefined) return undefined
    const stated = lines.flatMap((line) => COUNT.exec(line)?.slice(1).find(Boolean) ?? [])
    if (columns === undefined && stated.length === 0 && lines.length > 0) return undefined
    const counted = lines.filter((line) => cellsOf(line).length === columns?.length && !RULE.test(line))
    const count =
      stated.length > 0
        ? stated.reduce((total, number) => total + Number(number), 0)
        : Math.max(0, counted.length - 1)
    const what = columns === undefined ? '' : ` of ${cut(columns.join(', '), 160)}`
    return { summary: cut(`${label}: ${count === 0 ? 'no rows' : plural(count, 'row')}${what}`, 290) }
  },
}

/** Whether a database was asked: by its shell, or by a tool that takes a statement. */
function isQuery({ call, args }: Observation): boolean {
  if (call.programs.some(([first]) => DATABASES.test(first?.name ?? ''))) return true
  const given = isObject(args) ? ['sql', 'query', 'statement', 'q'].map((name) => args[name]) : []
  return given.some((value) => typeof value === 'string' && STATEMENT.test(value.slice(0, 400)))
}

/** The heads of a table, cells between bars above a rule, when most lines have as many: psql, mysql, duckdb, Markdown. */
function columnsIn(lines: readonly string[]): readonly string[] | undefined {
  const head = lines.findIndex(
    (line, at) => BAR.test(line) && !RULE.test(line) && RULE.test(lines[at + 1] ?? ''),
  )
  const columns = cellsOf(lines[head] ?? '')
  if (head === -1 || !columns.every((cell) => /[\p{L}\p{N}?#*]/u.test(cell))) return undefined
  const body = lines.filter((line) => !COUNT.test(line) && !RULE.test(line))
  const alike = body.filter((line) => cellsOf(line).length === columns.length)
  return alike.length < body.length * 0.6 ? undefined : columns
}

const cellsOf = (line: string): string[] =>
  line
    .trim()
    .replace(/^[|│┃]|[|│┃]$/g, '')
    .split(BAR)
    .map((cell) => cell.trim())
