import { isObject, type Json } from '../../event/json.ts'
import { notes } from '../../packet/notes.ts'
import { cut } from '../../text/cut.ts'
import { cleanLines, pickLines, plural, quoted, unnumbered } from '../../text/lines.ts'
import { type Intent, intentOf } from '../call/intent.ts'
import { labelOf } from '../call/label.ts'
import { NOTES_CHARS_MAX } from '../generic.ts'
import { aboutRecords, readJson, recordLines } from '../json/lines.ts'
import type { Summarizer, Summary } from '../summarizer.ts'
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

/** Rows of a database or a table: how many, of what, and the rows. */
export const rows: Summarizer = {
  name: 'rows',
  summarize(seen) {
    const intent = intentOf(seen.args)
    if (intent.kind === 'edit' || intent.kind === 'write' || intent.kind === 'list') return undefined
    const lines = cleanLines(within(seen.text))
    const asked = isQuery(intent, seen.args)
    const label = labelOf(seen.tool, seen.args, intent)
    const table = readTable(lines, asked)
    const answer = asked || SURE_ERROR.test(lines[0] ?? '') ? answered(lines, label) : undefined
    if (answer && (answer.outcome === 'error' || !table?.columns.length)) return answer
    return table && told(table, label)
  },
}

/** Whether a database was asked: by its shell, or by a tool that takes a statement. */
function isQuery(intent: Intent, args: Json): boolean {
  if (intent.kind === 'run') return DATABASES.test(intent.program?.name ?? '')
  if (!isObject(args)) return false
  return STATEMENT_FIELDS.some((name) => {
    const value = args[name]
    return typeof value === 'string' && STATEMENT.test(value.slice(0, 400))
  })
}

function told(table: TextTable, label: string): Summary {
  const { columns, rows, others } = table
  const count = table.stated ?? rows.length
  const reading = columns.length === 0 ? undefined : readJson(recordsOf(columns, rows))
  const shape = count === 0 ? 'No rows' : plural(count, 'row')
  const about = reading ? aboutRecords(shape, reading) : shape
  const shown = reading ? recordLines(reading) : rows.map((row) => row.join(' | '))
  return {
    summary: cut(`${shape}${contentOf(table)} from ${label}`, 280),
    knowledge: {
      [label]: notes(about, pickLines(unnumbered([...shown, ...others]), NOTES_CHARS_MAX)),
    },
  }
}

/** Of one row its values, of several what they have. */
function contentOf({ columns, rows }: TextTable): string {
  const [only = []] = rows
  if (columns.length === 0) return ''
  if (rows.length !== 1) return ` of ${cut(columns.join(', '), 140)}`
  const values = columns.map((name, at) => `${name} ${only[at] ?? ''}`.trim()).join(', ')
  return `: ${/[.!?] /.test(values) ? cut(columns.join(', '), 140) : cut(values, 140)}`
}

/** Rows by the names of their columns; a name that comes again is told apart by its number. */
function recordsOf(columns: readonly string[], rows: TextTable['rows']): { [key: string]: Json }[] {
  const known = new Set<string>()
  const names = columns.map((name, at) => {
    const own = known.has(name) ? `${name} (${at + 1})` : name
    known.add(own)
    return own
  })
  return rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at] ?? ''])))
}

/** No table: an error, a number of changed rows, or nothing at all. */
function answered(lines: readonly string[], label: string): Summary | undefined {
  const filled = lines.filter((line) => line.trim() !== '')
  if (filled.length === 0) return { summary: cut(`No rows from ${label}`, 280) }
  const { error, done } = readSqlAnswer(filled)
  const kept = { knowledge: { [label]: notes('', pickLines(unnumbered(filled), NOTES_CHARS_MAX)) } }
  if (error !== undefined)
    return {
      ...kept,
      summary: cut(`SQL error ${quoted(error)} from ${label}`, 280),
      outcome: 'error',
      failedAttempt: cut(`${label}: ${error}`, 200),
    }
  return done === undefined ? undefined : { ...kept, summary: cut(`${done} from ${label}`, 280) }
}
