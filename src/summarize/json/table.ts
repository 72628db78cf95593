import { isObject, type Json } from '../../event/json.ts'
import { fieldsOf, identityOf, isBulky, isEmpty } from './fields.ts'
import { compact } from './value-text.ts'

type Row = { readonly [key: string]: Json }

/** Records alike: the names of their fields once, and one line for each record. */
export interface Table {
  /** `id | status | price {low, high}` */
  readonly head: string
  /** What all records have alike: `status: available`. */
  readonly same: readonly string[]
  readonly rows: readonly string[]
  /** What did not fit its row: `A-7 notes: …`, one entry for each long field. */
  readonly rest: readonly { readonly path: string; readonly value: Json }[]
}

const COLUMNS_MAX = 16
const CELL_CHARS_MAX = 80
const ROW_CHARS_MAX = 126
/** How many of the cells must be filled for records to be alike. */
const FILLED_MIN = 0.6
const SAMPLE_ROWS = 200

/** Undefined when the records differ too much, or are too wide, for rows without names. */
export function tableOf(records: readonly Row[]): Table | undefined {
  if (records.length < 2) return undefined
  const all = columnsOf(records)
  if (all === undefined) return undefined
  const [common, columns] = parted(all, (column) => isSame(column, records))
  if (columns.length === 0) return undefined
  const known = new Set(all.map(({ name }) => name))
  const rest: { path: string; value: Json }[] = []
  const rows: string[] = []
  let long = 0
  for (const [at, record] of records.entries()) {
    const left: [string, Json][] = Object.entries(record).filter(
      ([name, value]) => !known.has(name) && !isEmpty(value),
    )
    const row = columns.map((column) => cellOf(column, record, left)).join(' | ')
    if (row.length > ROW_CHARS_MAX) long++
    rows.push(row)
    const id = left.length === 0 ? '' : (identityOf(record)?.slice(0, 40) ?? `#${at + 1}`)
    for (const [name, value] of left) rest.push({ path: `${id} ${name}`, value })
  }
  if (long > records.length * 0.3) return undefined
  const same = common.map(({ name }) => `${name}: ${compact(records[0]?.[name] ?? null, CELL_CHARS_MAX)}`)
  return { head: columns.map(headOf).join(' | '), same, rows, rest }
}

function parted<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  return [items.filter(test), items.filter((item) => !test(item))]
}

/** A plain value that every record has: said once, it need not stand in each row. */
function isSame({ name }: Column, records: readonly Row[]): boolean {
  const value = records[0]?.[name]
  return (
    (typeof value === 'number' ||
      typeof value === 'boolean' ||
      (typeof value === 'string' && value !== '')) &&
    compact(value, CELL_CHARS_MAX) !== undefined &&
    records.every((record) => record[name] === value)
  )
}

/** One column; `parts` are the names inside its values where all have the same. */
interface Column {
  readonly name: string
  readonly parts?: readonly string[]
}

function columnsOf(records: readonly Row[]): Column[] | undefined {
  const sample = records.slice(0, SAMPLE_ROWS)
  const filled = new Map<string, { count: number; bulky: number; values: Json[] }>()
  for (const record of sample)
    for (const [name, value] of fieldsOf(record)) {
      const column = filled.get(name) ?? { count: 0, bulky: 0, values: [] }
      if (!isEmpty(value)) column.count++
      if (isBulky(value) || tooLong(value)) column.bulky++
      column.values.push(value)
      filled.set(name, column)
    }
  const kept = [...filled].filter(([, { count, bulky }]) => count > 0 && bulky * 4 < sample.length)
  const cells = kept.reduce((sum, [, { count }]) => sum + count, 0)
  if (kept.length > COLUMNS_MAX || cells < kept.length * sample.length * FILLED_MIN) return undefined
  return kept.map(([name, { values }]) => {
    const parts = partsOf(values)
    return parts === undefined ? { name } : { name, parts }
  })
}

const tooLong = (value: Json): boolean =>
  typeof value === 'object' && compact(value, CELL_CHARS_MAX * 2) === undefined

/** The same short names inside every value, all of them plain: they need to be said only once. */
function partsOf(values: readonly Json[]): string[] | undefined {
  const [first] = values
  if (!isObject(first)) return undefined
  const names = Object.keys(first)
  const same = values.every(
    (value) =>
      isObject(value) &&
      Object.keys(value).join('\n') === names.join('\n') &&
      Object.values(value).every((part) => part === null || typeof part !== 'object'),
  )
  return same && names.length > 0 ? names : undefined
}

const headOf = ({ name, parts }: Column): string =>
  parts === undefined ? name : `${name} {${parts.join(', ')}}`

/** The text of a cell; a value too long for it goes to what is left. */
function cellOf({ name, parts }: Column, record: Row, left: [string, Json][]): string {
  const value = Object.hasOwn(record, name) ? record[name] : undefined
  if (value === undefined || isEmpty(value)) return '-'
  const bare = parts && isObject(value) ? Object.values(value as Row) : value
  const text = compact(bare as Json, CELL_CHARS_MAX)
  if (text !== undefined) return parts ? `{${text.slice(1, -1)}}` : text
  left.push([name, value])
  return '…'
}
