import { isObject } from '../../event/json.ts'
import { cut } from '../../text/cut.ts'
import { plural, quoted } from '../../text/lines.ts'
import type { Observation, Summarizer, Summary } from '../summarizer.ts'
import { within } from '../within.ts'
import { readSqlAnswer } from './sql-answer.ts'
import { readTable, type TextTable } from './text.ts'

const DATABASES =
  /^(?:psql|mysql|mariadb|sqlite3|duckdb|clickhouse-client|clickhouse|sqlcmd|bq|cockroach|usql|litecli|pgcli)$/
const STATEMENT =
  /^\s*(?:select\s|with\s+\w|insert\s+into\s|update\s+\S+\s+set\s|delete\s+from\s|(?:create|drop|alter)\s+(?:table|index|view|database|schema)\s|show\s|describe\s|explain\s|pragma\s)/i
/** Errors that only databases write like this. */
const SURE_ERROR = /^(?:psql:.{0,200}: )?ERROR: {2}\S|^ERROR \d{4} \([0-9A-Z]{5}\)/
const STATEMENT_FIELDS = ['sql', 'query', 'statement', 'q']

/** Rows of a database or a table: how many, of what. */
export const rows: Summarizer = {
  name: 'rows',
  summarize(seen) {
    const { intent, label } = seen.call
    if (intent.kind === 'change' || intent.kind === 'list' || intent.kind === 'read') return undefined
    const lines = within(seen.shown).split('\n')
    const asked = isQuery(seen)
    const table = readTable(lines, asked)
    const answer = asked || SURE_ERROR.test(lines[0] ?? '') ? answered(lines, label) : undefined
    if (answer && (answer.outcome === 'error' || !table?.columns.length)) return answer
    if (!table) return undefined
    const count = table.stated ?? table.rows.length
    const shape = count === 0 ? 'no rows' : plural(count, 'row')
    return { summary: cut(`${label}: ${shape}${contentOf(table)}`, 290) }
  },
}

/** Whether a database was asked: by its shell, or by a tool that takes a statement. */
function isQuery({ call, args }: Observation): boolean {
  if (call.programs.some(([first]) => DATABASES.test(first?.name ?? ''))) return true
  if (!isObject(args)) return false
  return STATEMENT_FIELDS.some((name) => {
    const value = args[name]
    return typeof value === 'string' && STATEMENT.test(value.slice(0, 400))
  })
}

/** Of one row its values, of several what they have. */
function contentOf({ columns, rows }: TextTable): string {
  const [only = []] = rows
  if (columns.length === 0) return ''
  if (rows.length !== 1) return ` of ${cut(columns.join(', '), 140)}`
  const values = columns.map((name, at) => `${name} ${only[at] ?? ''}`.trim()).join(', ')
  return `: ${/[.!?] /.test(values) ? cut(columns.join(', '), 140) : cut(values, 140)}`
}

/** No table: an error, a number of changed rows, or nothing at all. */
function answered(lines: readonly string[], label: string): Summary | undefined {
  const filled = lines.filter((line) => line.trim() !== '')
  if (filled.length === 0) return { summary: cut(`${label}: no rows`, 290), output: null }
  const { error, done } = readSqlAnswer(filled)
  const said = cut(`${label}: ${error === undefined ? done : `SQL error ${quoted(error)}`}`, 290)
  if (error !== undefined) return { summary: said, outcome: 'error', failedAttempt: cut(said, 200) }
  return done === undefined ? undefined : { summary: said }
}
