import { isObject, type Json, tryParse } from '../../core/event/json.ts'
import { cut } from '../../text/cut.ts'
import { firstOf, onOneLine, plural, quoted } from '../../text/lines.ts'
import { textIn } from '../fields.ts'
import { type HttpResponse, readHttp } from '../http-response.ts'
import { compact, isEmpty, jsonText } from '../json-text.ts'
import type { Observation, Summarizer } from '../summarizer.ts'
import { statedError } from './api-error.ts'

const FIELDS_SHOWN = 4
const FIELDS_MAX = 200
const IDS_SHOWN = 10
/** Lists in lists. */
const LISTS_MAX = 3
const VALUE_CHARS_MAX = 60
const WORDS_CHARS_MAX = 200
/** Longer lines on the average are no text for a reader. */
const READABLE_LINE_CHARS = 120
/** Of more lines nobody knows within a moment whether each is JSON. */
const JSON_LINES_MAX = 10_000
/** Of lines that are JSON each, how many may be something else: a banner, a last line cut short. */
const OTHER_LINES_MAX = 0.1

/** An answer of an API: JSON, one JSON value a line, or an HTTP response. */
export const json: Summarizer = {
  name: 'json',
  summarize(seen) {
    const { intent, label } = seen.call
    if (intent.kind === 'change' || intent.kind === 'read') return undefined
    const answer = answerOf(seen)
    if (answer === undefined) return undefined
    const { response, value } = answer
    const failed = (response?.status ?? 0) >= 400
    const error = value === undefined ? undefined : statedError(value, failed)
    const status = response ? `HTTP ${response.status} ${response.reason}`.trim() : ''
    const what = value === undefined ? '' : shapeOf(value)
    const words = error === undefined ? what : `${status === '' ? 'error ' : ''}${quoted(cut(error, 160))}`
    const summary = cut(`${label}: ${[status, words].filter((part) => part !== '').join(', ')}`, 290)
    const outcome = failed || error !== undefined ? 'error' : seen.outcome
    return {
      summary,
      outcome: outcome === 'error' && hasData(value) ? 'partial' : outcome,
      ...(value === undefined || isReadable(seen, response) ? {} : { output: jsonText(value) }),
      ...(outcome === 'error' ? { failedAttempt: cut(summary, 200) } : {}),
    }
  },
}

interface Answer {
  readonly response?: HttpResponse
  readonly value?: Json
}

function answerOf({ output, shown }: Observation): Answer | undefined {
  const value = typeof output === 'object' && output !== null ? output : jsonIn(shown)
  if (value !== undefined) return { value }
  const response = readHttp(shown)
  if (response === undefined) return undefined
  const body = jsonIn(response.body)
  if (body !== undefined) return { response, value: body }
  // A page is read as a page.
  return /^\s*<(?:!doctype|html|\?xml)/i.test(response.body) ? undefined : { response }
}

/** A text that is JSON, in a code fence or not, or has one JSON value a line: then a list of them. */
function jsonIn(text: string): Json | undefined {
  const [, fenced] = /^```\w*\n([\s\S]*)```$/.exec(text.trim()) ?? []
  const whole = (fenced ?? text).trim()
  if (!/^[[{]/.test(whole)) return undefined
  const value = tryParse(whole)
  if (value !== undefined) return value as Json
  const values: Json[] = []
  const lines = whole.split('\n', JSON_LINES_MAX)
  for (const [at, line] of lines.filter((line) => line.trim() !== '').entries()) {
    const read = /^\s*[[{]/.test(line) ? tryParse(line) : undefined
    if (read !== undefined) values.push(read as Json)
    else if (at - values.length > at * OTHER_LINES_MAX) return undefined
  }
  return values.length < 2 || lines.length === JSON_LINES_MAX ? undefined : values
}

/** Already written in short lines, one field each: it stays as it is. */
const isReadable = ({ output, shown }: Observation, response: HttpResponse | undefined): boolean =>
  (output === undefined || typeof output === 'string') &&
  (response !== undefined || shown.length < READABLE_LINE_CHARS * (shown.split('\n').length - 1))

/** A GraphQL answer may hold errors and data. */
const hasData = (value: Json | undefined): boolean =>
  isObject(value) && isObject(value['data']) && Object.values(value['data']).some((part) => part !== null)

function shapeOf(value: Json): string {
  if (isEmpty(value)) return Array.isArray(value) ? 'an empty list' : 'an empty object'
  if (Array.isArray(value)) return listShape('', value)
  if (!isObject(value)) return onOneLine(String(value))
  const words = textIn(value, ['summary', 'message'])
  if (words !== undefined) return quoted(cut(onOneLine(words.slice(0, 2 * WORDS_CHARS_MAX)), WORDS_CHARS_MAX))
  const fields = Object.keys(value)
    .slice(0, FIELDS_MAX)
    .map((name): [string, Json] => [name, (value as Record<string, Json>)[name] ?? null])
    .filter(([, field]) => !isEmpty(field))
  const [list] = fields.filter((entry): entry is [string, Json[]] => Array.isArray(entry[1]))
  const plain = fields.flatMap(([name, field]) =>
    typeof field === 'object' ? [] : [`${name} ${shortValue(String(field))}`],
  )
  if (plain.length === 0)
    return list ? listShape(list[0], list[1]) : `fields ${cut(fields.map(([name]) => name).join(', '), 160)}`
  return `${firstOf(plain, FIELDS_SHOWN)}${list ? `; ${listShape(list[0], list[1])}` : ''}`
}

/** `3 orders: A12, B07, C33`, or `12 orders, each with status, total` where nothing tells them apart; of few plain values all. */
function listShape(name: string, items: readonly Json[], depth = 0): string {
  const [first] = items
  const noun = name === '' ? (isObject(first) ? 'records' : 'values') : name.slice(0, 40)
  const count = plural(items.length, noun.endsWith('s') ? noun.slice(0, -1) : noun, noun)
  if (Array.isArray(first) && depth < LISTS_MAX)
    return `${plural(items.length, 'list')}, the first ${listShape('', first, depth + 1)}`
  if (isObject(first)) {
    const ids = idsOf(items)
    return ids
      ? `${count}: ${firstOf(ids, IDS_SHOWN)}`
      : `${count}, each with ${cut(Object.keys(first).join(', '), 120)}`
  }
  return `${count}: ${cut(compact([...items.slice(0, 20)], 120) ?? '…', 120)}`
}

/** The values of the first field that tells records apart: one short word each, no two the same. */
function idsOf(items: readonly Json[]): string[] | undefined {
  const records = items.slice(0, IDS_SHOWN * 4)
  for (const name of Object.keys(records[0] ?? {}).slice(0, FIELDS_MAX)) {
    const ids = records.map((record) =>
      isObject(record) ? (record as Record<string, Json>)[name] : undefined,
    )
    if (
      ids.every((id): id is string => typeof id === 'string' && /^\S{2,40}$/.test(id)) &&
      new Set(ids).size === ids.length
    )
      return ids
  }
  return undefined
}

/** Words of others stand in quotation marks. */
const shortValue = (value: string): string => {
  const short = cut(onOneLine(value.slice(0, 200)), VALUE_CHARS_MAX)
  return short.includes(' ') ? quoted(short) : short
}
