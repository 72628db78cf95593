import { isObject, type Json, tryParse } from '../core/event/json.ts'
import { cut } from '../text/cut.ts'
import { firstOf, onOneLine, plural, quoted, shortLine } from '../text/lines.ts'
import { fieldText } from './fields.ts'
import { type HttpResponse, readHttp } from './http-response.ts'
import { compactJson, isEmpty, jsonText } from './json-text.ts'
import type { Observation, Summarizer } from './summarizer.ts'

const FIELDS_SHOWN = 4
const FIELDS_MAX = 200
const VALUE_CHARS_MAX = 60
const WORDS_CHARS_MAX = 200
/** Longer lines on the average are no text for a reader. */
const READABLE_LINE_CHARS = 120
/** Of more lines nobody knows within a moment whether each is JSON. */
const JSON_LINES_MAX = 10_000
/** Of lines that are JSON each, how many may be something else: a banner, a last line cut short. */
const OTHER_LINES_MAX = 0.1

/** An answer of an API: JSON, one JSON value a line, or an HTTP response. */
export const jsonAnswer: Summarizer = {
  name: 'json',
  summarize(seen) {
    const { intent, label } = seen.call
    if (intent.kind === 'change' || intent.kind === 'read') return undefined
    const answer = answered(seen)
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

function answered({ output, shown }: Observation): Answer | undefined {
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

/** How many, or the first plain fields; the text itself stands in the output. */
function shapeOf(value: Json): string {
  if (isEmpty(value)) return Array.isArray(value) ? 'an empty list' : 'an empty object'
  if (Array.isArray(value)) return plural(value.length, isObject(value[0]) ? 'record' : 'value')
  if (!isObject(value)) return onOneLine(String(value))
  const words = fieldText(value, ['summary', 'message'])
  if (words !== undefined) return quoted(cut(onOneLine(words.slice(0, 2 * WORDS_CHARS_MAX)), WORDS_CHARS_MAX))
  const fields = Object.entries(value as Record<string, Json>).slice(0, FIELDS_MAX)
  const plain = fields.flatMap(([name, field]) =>
    isEmpty(field) || typeof field === 'object' ? [] : [`${name} ${shortValue(String(field))}`],
  )
  return plain.length > 0
    ? firstOf(plain, FIELDS_SHOWN)
    : `fields ${cut(fields.map(([name]) => name).join(', '), 160)}`
}

/** Words of others stand in quotation marks. */
const shortValue = (value: string): string => {
  const short = cut(onOneLine(value.slice(0, 200)), VALUE_CHARS_MAX)
  return short.includes(' ') ? quoted(short) : short
}

/**
 * The error that an answer states: `error`, `errors`, `success: false`, an RFC 9457 problem. A mere `message` or
 * `detail` is one only where the status of the response says that it failed.
 */
function statedError(value: Json, failed: boolean): string | undefined {
  if (!isObject(value)) return undefined
  const { error, errors, message, detail, reason, status, title, success, ok } = value
  const isDenied =
    failed || success === false || ok === false || /^(?:error|fail(?:ed|ure)?)$/i.test(String(status ?? ''))
  const problem = typeof status === 'number' && status >= 400 ? title : undefined
  const named = [error, errors, problem, ...(isDenied ? [message, detail, reason] : [])]
  const stated = named.map(errorWords).find((words) => words !== undefined)
  if (stated === undefined) return undefined
  // OAuth and many others name the error in one field and describe it in another.
  const more = value['error_description'] ?? message ?? detail
  return shortLine(typeof error === 'string' && typeof more === 'string' ? `${stated}: ${more}` : stated)
}

function errorWords(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value
  if (Array.isArray(value) && !Array.isArray(value[0])) return errorWords(value[0])
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return undefined
  return (
    fieldText(value as Record<string, unknown>, ['message', 'msg', 'detail', 'title', 'description']) ??
    compactJson(value as Json, 200) ??
    'an error'
  )
}
