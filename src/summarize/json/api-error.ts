import { isObject, type Json } from '../../core/event/json.ts'
import { shortLine } from '../../text/lines.ts'
import { compact } from '../json-text.ts'

type Fields = Record<string, unknown>

const ERRORS_SHOWN_MAX = 3

/**
 * The error that an answer states: `error`, `errors`, `success: false`, an RFC 9457 problem. A mere `message` or
 * `detail` is one only where the status of the response says that it failed.
 */
export function statedError(value: Json, failed: boolean): string | undefined {
  if (!isObject(value)) return undefined
  const { error, errors, message, detail, reason, status, title, success, ok } = value
  const isDenied =
    failed || success === false || ok === false || /^(?:error|fail(?:ed|ure)?)$/i.test(String(status ?? ''))
  const problem = typeof status === 'number' && status >= 400 ? title : undefined
  const named = [error, errors, problem, ...(isDenied ? [message, detail, reason] : [])]
  const stated = named.map(wordsOf).find((words) => words !== undefined)
  if (stated === undefined) return undefined
  // OAuth and many others name the error in one field and describe it in another.
  const more = value['error_description'] ?? message ?? detail
  const isDescribed = typeof (error ?? problem) === 'string' && typeof more === 'string'
  return shortLine(isDescribed ? `${stated}: ${more}` : stated)
}

/** The code, the place in the request and the message of an error, or of the first few. */
function wordsOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value
  if (Array.isArray(value)) {
    if (value.length === 0) return undefined
    const words = value
      .slice(0, ERRORS_SHOWN_MAX)
      .map((item) => (Array.isArray(item) ? undefined : wordsOf(item)) ?? compact(item, 200) ?? '…')
    const more = value.length - words.length
    return `${words.join('; ')}${more > 0 ? ` and ${more} more` : ''}`
  }
  if (!isObject(value) || Object.keys(value).length === 0) return undefined
  const given = (names: readonly string[]): unknown =>
    names.map((name) => (value as Fields)[name]).find((field) => field !== undefined && field !== null)
  const place = given(['field', 'param', 'path', 'loc', 'pointer'])
  const words = [
    given(['code', 'type', 'status']),
    Array.isArray(place) ? place.map(String).join('.') : place,
    given(['message', 'msg', 'detail', 'title', 'description']),
  ].filter((part) => typeof part === 'string' || typeof part === 'number')
  return words.length > 0 ? words.join(' ') : (compact(value as Json, 200) ?? 'an error')
}
