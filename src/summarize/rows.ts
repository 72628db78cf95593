import { isObject, type Json } from '../event/json.ts'
import { cut } from '../packet/cut.ts'
import { type NumberedLine, notes } from '../packet/notes.ts'
import { NOTES_CHARS_MAX, within } from './generic.ts'
import { type Intent, intentOf } from './intent.ts'
import { readJson } from './json-lines.ts'
import { labelOf } from './label.ts'
import { cleanLines, pickLines, plural } from './lines.ts'
import { readSqlAnswer } from './sql-answer.ts'
import type { Summarizer, Summary } from './summarizer.ts'
import { readTable, type TextTable } from './table-text.ts'

const HEAD_CHARS_MAX = 240
const DATABASES =
  /^(?:psql|mysql|mariadb|sqlite3|duckdb|clickhouse-client|clickhouse|sqlcmd|bq|cockroach|usql|litecli|pgcli)$/
const STATEMENT =
  /^\s*(?:select|with|insert|update|delete|create|drop|alter|show|describe|explain|pragma|merge)\s/i

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
    if (table) return told(table, label)
    return asked ? answered(lines, label) : undefined
  },
}

/** Whether a database was asked: by its shell, or by a tool that takes a statement. */
function isQuery(intent: Intent, args: Json): boolean {
  if (intent.kind === 'run') return DATABASES.test(intent.program?.name ?? '')
  return (
    isObject(args) && Object.values(args).some((value) => typeof value === 'string' && STATEMENT.test(value))
  )
}

function told(table: TextTable, label: string): Summary {
  const { columns, rows, others } = table
  const count = table.stated ?? rows.length
  const reading = columns.length === 0 ? undefined : readJson(rows.map((row) => recordOf(columns, row)))
  const head = reading && reading.head !== '' ? reading.head : columns.join(' | ')
  const shape = count === 0 ? 'No rows' : plural(count, 'row')
  const of = columns.length === 0 ? '' : ` of ${cut(columns.join(', '), 140)}`
  const about = head === '' || head.length > HEAD_CHARS_MAX ? shape : `${shape}, each ${head}`
  const shown = reading?.lines ?? rows.map((row) => row.join(' | '))
  const long = head.length > HEAD_CHARS_MAX ? [`each ${head}`] : []
  return {
    summary: cut(`${shape}${of} from ${label}`, 280),
    knowledge: {
      [label]: notes(about, pickLines(numbered([...long, ...shown, ...others]), NOTES_CHARS_MAX)),
    },
  }
}

/** A row by the names of its columns; one that comes again is told apart by its number. */
function recordOf(columns: readonly string[], row: readonly string[]): { [key: string]: Json } {
  const record: [string, Json][] = columns.map((name, at) => {
    const again = columns.indexOf(name) < at
    return [again ? `${name} (${at + 1})` : name, row[at] ?? '']
  })
  return Object.fromEntries(record)
}

/** No table: an error, a number of changed rows, or nothing at all. */
function answered(lines: readonly string[], label: string): Summary | undefined {
  const filled = lines.filter((line) => line.trim() !== '')
  if (filled.length === 0) return { summary: cut(`No rows from ${label}`, 280) }
  const { error, done } = readSqlAnswer(filled)
  const kept = { knowledge: { [label]: notes('', pickLines(numbered(filled), NOTES_CHARS_MAX)) } }
  if (error !== undefined)
    return {
      ...kept,
      summary: cut(`SQL error "${error.replaceAll('"', "'")}" from ${label}`, 280),
      outcome: 'error',
      failedAttempt: cut(`${label}: ${error}`, 200),
    }
  return done === undefined ? undefined : { ...kept, summary: cut(`${done} from ${label}`, 280) }
}

const numbered = (lines: readonly string[]): NumberedLine[] => lines.map((line) => [0, line])
