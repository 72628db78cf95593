import { isObject, type Json } from '../core/event/json.ts'

type JsonObject = { readonly [key: string]: Json }

const LINE_CHARS_MAX = 120
const LINES_MAX = 1_500
const DEPTH_MAX = 40
const COLUMNS_MAX = 16
const CELL_CHARS_MAX = 80
/** Fewer records are shown field by field. */
const ROWS_MIN = 2

/**
 * JSON as lines that a person can read, values as they are: `name: value`, what is nested indented below its name, small
 * fields of one object on one line, records alike as rows under their field names.
 */
export function jsonText(value: Json): string {
  const lines: string[] = []
  openValue(value, '', lines)
  if (lines.length >= LINES_MAX) lines.push('⋮')
  return lines.join('\n')
}

function openValue(value: Json, indent: string, lines: string[]): void {
  if (indent.length > 2 * DEPTH_MAX) lines.push(`${indent}…`)
  else if (Array.isArray(value)) openList(value, indent, lines)
  else if (isObject(value)) openFields(value as JsonObject, indent, lines)
  else if (typeof value === 'string')
    for (const line of value.split('\n', LINES_MAX)) lines.push(`${indent}${line}`)
  else lines.push(`${indent}${value}`)
}

function openFields(value: JsonObject, indent: string, lines: string[]): void {
  let line = ''
  const end = () => {
    if (line !== '') lines.push(`${indent}${line}`)
    line = ''
  }
  for (const name in value) {
    if (lines.length >= LINES_MAX) return
    const field = value[name] ?? null
    const short = compactJson(field, LINE_CHARS_MAX - name.length)
    if (short === undefined) {
      end()
      lines.push(`${indent}${name}:`)
      openValue(field, `${indent}  `, lines)
    } else {
      const part = `${name}: ${short}`
      if (line.length + part.length + 2 > LINE_CHARS_MAX) end()
      line = line === '' ? part : `${line}, ${part}`
    }
  }
  end()
}

function openList(items: readonly Json[], indent: string, lines: string[]): void {
  const columns = columnsOf(items)
  if (columns !== undefined) lines.push(`${indent}${columns.map(headOf).join(' | ')}`)
  for (const item of items) {
    if (lines.length >= LINES_MAX) return
    if (columns !== undefined && isObject(item)) {
      lines.push(`${indent}${columns.map((column) => cellOf(item as JsonObject, column)).join(' | ')}`)
      continue
    }
    const short = compactJson(item, LINE_CHARS_MAX)
    const inner: string[] = []
    if (short === undefined) openValue(item, `${indent}  `, inner)
    lines.push(`${indent}- ${short ?? inner[0]?.trimStart() ?? ''}`, ...inner.slice(1))
  }
}

/** A field that all records have; where it is an object in all of them, the names that these share. */
interface Column {
  readonly name: string
  readonly inner?: readonly string[]
}

/** The fields of records that are alike, when each fits a row. */
function columnsOf(items: readonly Json[]): readonly Column[] | undefined {
  const [first] = items
  if (items.length < ROWS_MIN || !isObject(first)) return undefined
  // No more are shown.
  const records = items.slice(0, LINES_MAX)
  const names = namesShared(records)
  if (!names || names.length === 0 || names.length > COLUMNS_MAX) return undefined
  const columns: Column[] = []
  for (const name of names) {
    const values = records.map((record) => (record as JsonObject)[name] ?? null)
    if (!values.every((value) => compactJson(value, CELL_CHARS_MAX) !== undefined)) return undefined
    const inner = isEmpty(values[0] ?? null) ? undefined : namesShared(values)
    columns.push(inner ? { name, inner } : { name })
  }
  return columns
}

/** The names that objects have; undefined where they differ, or something is no object. */
function namesShared(values: readonly Json[]): readonly string[] | undefined {
  const [first] = values
  if (!isObject(first)) return undefined
  const names = Object.keys(first)
  const alike = values.every(
    (value) =>
      isObject(value) &&
      Object.keys(value).length === names.length &&
      names.every((name) => Object.hasOwn(value, name)),
  )
  return alike ? names : undefined
}

const headOf = ({ name, inner }: Column): string => (inner ? `${name} {${inner.join(', ')}}` : name)

/** Of an object only the values: their names stand in the head. */
function cellOf(record: JsonObject, { name, inner }: Column): string {
  const value = record[name] ?? null
  const shown = inner ? inner.map((field) => (value as JsonObject)[field] ?? null) : value
  const text = compactJson(shown, CELL_CHARS_MAX * 2) ?? '…'
  return inner ? `{${text.slice(1, -1)}}` : text
}

/** JSON without the quotes that no reader needs; undefined when it is longer than `max`, or has several lines. */
export function compactJson(value: Json, max: number): string | undefined {
  if (typeof value === 'string')
    return value === '' ? '""' : value.length <= max && !value.includes('\n') ? value : undefined
  if (value === null || typeof value !== 'object') return String(value)
  if (max < 2) return undefined
  const list = Array.isArray(value)
  // Each takes two characters or more, its comma and a space.
  if (list && 2 + 2 * value.length > max) return undefined
  const parts: string[] = []
  let length = 2
  for (const name in value) {
    const item = list ? value[Number(name)] : value[name]
    const text = compactJson(item ?? null, max - length)
    if (text === undefined) return undefined
    const part = list ? text : `${name}: ${text}`
    length += part.length + 2
    if (length > max) return undefined
    parts.push(part)
  }
  return list ? `[${parts.join(', ')}]` : `{${parts.join(', ')}}`
}

export function isEmpty(value: Json): boolean {
  if (value === null || value === '') return true
  if (Array.isArray(value)) return value.length === 0
  return typeof value === 'object' && Object.keys(value).length === 0
}
