import { isObject, type Json } from '../../event/json.ts'
import { plural } from '../../text/lines.ts'
import { fieldsOf, identityOf, isBulky, isEmpty, namesAThing } from './fields.ts'
import { type Table, tableOf } from './table.ts'
import { jsonOf } from './text.ts'
import { compact } from './value-text.ts'

type JsonObject = { readonly [key: string]: Json }

/** A value read for a person: what it is in a few words, and its lines. */
export interface JsonReading {
  /** `12 orders`; empty for a single record. */
  readonly shape: string
  /** Of few records what each is asked for by: ` (A-7, A-9)`. */
  readonly ids: string
  /** The fields of the listed records, in the order of their rows; empty where each line names its own. */
  readonly head: string
  readonly lines: readonly string[]
}

/** A line stands alone in a packet; longer ones would be broken there. */
const LINE_CHARS_MAX = 126
const LINES_MAX = 2_000
const TEXT_CHARS_MAX = 4_000
const NAME_CHARS_MAX = 80
/** So few records are named in the summary. */
const NAMED_MAX = 3

/** Structured output as lines a person can read; undefined when there is no structure. */
export function jsonLines(
  output: Json | undefined,
  text: string,
): { lines: readonly string[]; aside: string } | undefined {
  const json = jsonOf(output, text)
  if (json === undefined) return undefined
  const { head, lines } = readJson(json.value)
  return { lines: head === '' ? lines : [head, ...lines], aside: json.aside }
}

/**
 * Records alike stand one a line, their field names said once; anything else is opened field by field, each line
 * with the path that leads to it. Fields that carry meaning come first.
 */
export function readJson(value: Json): JsonReading {
  const lines: string[] = []
  const list = mainList(value)
  if (list === undefined) {
    open('', value, lines)
    return { shape: '', ids: '', head: '', lines }
  }
  const table = tableOf(list.records.slice(0, LINES_MAX))
  if (isObject(value)) open('', without(value as JsonObject, list.name), lines)
  if (table === undefined) openAll(list.name, list.records, lines)
  else addTable(table, list, lines)
  return { ...shapeOf(list), head: table?.head ?? '', lines }
}

/** A longer head takes a line of its own. */
const HEAD_CHARS_MAX = 240

/** What records are, with the names of their fields where these are few. */
export const aboutRecords = (shape: string, { head }: JsonReading): string =>
  head === '' || head.length > HEAD_CHARS_MAX ? shape : `${shape}, each ${head}`

/** The lines that go with it. */
export const recordLines = ({ head, lines }: JsonReading): readonly string[] =>
  head.length > HEAD_CHARS_MAX ? [`each ${head}`, ...lines] : lines

interface List {
  /** The field that holds it; empty for a value that is the list. */
  readonly name: string
  readonly records: readonly JsonObject[]
  /** For records in groups (each trip with its flights): the group of each. */
  readonly groups?: readonly number[]
}

/** The list that an answer is about: the value itself, or its largest field that is a list of records. */
function mainList(value: Json): List | undefined {
  if (Array.isArray(value)) return listOf('', value)
  if (!isObject(value) || isThing(value as JsonObject)) return undefined
  let best: List | undefined
  for (const [name, field] of Object.entries(value as JsonObject)) {
    if (!Array.isArray(field)) continue
    const list = listOf(name, field)
    if (list && list.records.length > (best?.records.length ?? 0)) best = list
  }
  return best
}

/** An object with an id of its own is a record that holds a list, not a list with words around it. */
const isThing = (value: JsonObject): boolean =>
  fieldsOf(value).some(
    (field) => namesAThing(field) && !/^(?:request|trace|correlation|next|prev|page|session)/i.test(field[0]),
  )

function listOf(name: string, items: readonly Json[]): List | undefined {
  if (items.length === 0) return undefined
  if (items.every(isRecord)) return { name, records: items }
  if (!items.every((item): item is Json[] => Array.isArray(item) && item.length > 0 && item.every(isRecord)))
    return undefined
  return {
    name,
    records: items.flat().filter(isRecord),
    groups: items.flatMap((item, at) => item.map(() => at + 1)),
  }
}

const isRecord = (value: Json): value is { [key: string]: Json } => isObject(value)

function shapeOf({ name, records, groups }: List): { shape: string; ids: string } {
  const noun = name === '' ? thingOf(records) : name.slice(0, 40)
  const count = plural(records.length, noun.endsWith('s') ? noun.slice(0, -1) : noun, noun)
  const grouped = groups ? ` in ${plural(groups.at(-1) ?? 0, 'group')}` : ''
  const ids = records.length <= NAMED_MAX ? records.map(identityOf) : []
  const named =
    ids.length > 0 && ids.every((id) => id !== undefined && id.length <= 24) ? ` (${ids.join(', ')})` : ''
  return { shape: `${count}${grouped}`, ids: named }
}

/** What records are, told from the id they all have: `order_id` is of orders. */
function thingOf(records: readonly JsonObject[]): string {
  const [first = {}] = records
  const id = Object.keys(first).find((name) => /^[a-z]{3,20}(?:_id|Id|_number)$/.test(name))
  const thing = id?.replace(/(?:_id|Id|_number)$/, '')
  return thing === undefined || !records.every((record) => Object.hasOwn(record, id ?? ''))
    ? 'records'
    : `${thing}s`
}

const without = (value: JsonObject, name: string): { [key: string]: Json } =>
  Object.fromEntries(Object.entries(value).filter(([other]) => other !== name))

function addTable({ same, rows, rest }: Table, { groups }: List, lines: string[]): void {
  pack('all', same, lines)
  for (const [at, row] of rows.entries()) {
    if (lines.length >= LINES_MAX) return
    lines.push(groups ? `${groups[at]}. ${row}` : row)
  }
  for (const { path, value } of rest) {
    if (lines.length >= LINES_MAX) return
    open(path.slice(0, NAME_CHARS_MAX), value, lines)
  }
}

function openAll(path: string, records: readonly Json[], lines: string[]): void {
  for (const [at, record] of records.entries()) {
    if (lines.length >= LINES_MAX) return
    const short = compact(isRecord(record) ? Object.fromEntries(fieldsOf(record)) : record, LINE_CHARS_MAX)
    if (short !== undefined && short.length + path.length < LINE_CHARS_MAX)
      lines.push(joined(path, path === '' && isRecord(record) ? short.slice(1, -1) : short))
    else if (records.length === 1) open(path, record, lines)
    else open(`${path}[${idOf(record) ?? at + 1}]`, record, lines)
  }
}

const idOf = (value: Json): string | undefined =>
  isRecord(value) ? identityOf(value)?.replaceAll('\n', ' ').slice(0, 40) : undefined

const joined = (path: string, text: string): string => (path === '' ? text : `${path}: ${text}`)

function open(path: string, value: Json, lines: string[]): void {
  if (lines.length >= LINES_MAX) return
  if (typeof value === 'string') lines.push(...textLines(path, value))
  else if (isRecord(value)) {
    if (isKeyedById(value)) openAll(path, Object.values(value), lines)
    else openFields(path, value, lines)
  } else if (Array.isArray(value)) {
    if (value.some((item) => typeof item === 'object' && item !== null)) openAll(path, value, lines)
    else pack(path, value, lines)
  } else lines.push(joined(path, String(value)))
}

/** `{"A-7": {"id": "A-7", …}, …}` is a list of records. */
function isKeyedById(value: JsonObject): boolean {
  for (const key in value) {
    const item = value[key] ?? null
    if (!isRecord(item) || !Object.values(item).includes(key)) return false
  }
  return true
}

function openFields(path: string, value: JsonObject, lines: string[]): void {
  const small: string[] = []
  const empty: string[] = []
  const large: [string, Json][] = []
  for (const [name, field] of fieldsOf(value)) {
    const text = isBulky(field) ? undefined : compact(field, LINE_CHARS_MAX / 2)
    if (isEmpty(field)) empty.push(name.slice(0, NAME_CHARS_MAX))
    else if (text === undefined || (typeof field === 'object' && text.length > 40)) large.push([name, field])
    else small.push(`${name.slice(0, NAME_CHARS_MAX)}: ${text}`)
  }
  pack(path, small, lines, ['{', '}'])
  for (const [name, field] of large) open(below(path, name), field, lines)
  pack(path === '' ? 'empty' : `${path}, empty`, empty, lines)
}

const below = (path: string, name: string): string =>
  (path === '' ? name : `${path}.${name}`).slice(0, NAME_CHARS_MAX)

/** Several short fields share a line. */
function pack(path: string, fields: readonly Json[], lines: string[], [from, to] = ['', '']): void {
  let line = ''
  const end = () => lines.push(path === '' ? line : joined(path, `${from}${line}${to}`))
  for (const value of fields) {
    const field = String(value)
    if (line !== '' && path.length + line.length + field.length + 4 > LINE_CHARS_MAX) {
      end()
      if (lines.length >= LINES_MAX) return
      line = ''
    }
    line = line === '' ? field : `${line}, ${field}`
  }
  if (line !== '') end()
}

/** Long text by its own lines, the first behind its path. */
function textLines(path: string, text: string): string[] {
  return joined(path, text.slice(0, TEXT_CHARS_MAX))
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
