import { isObject, type Json } from '../../event/json.ts'
import { shortLine } from '../../text/lines.ts'
import { compact } from './lines.ts'

type JsonObject = Record<string, unknown>

const ERRORS_SHOWN_MAX = 3

/**
 * The error that an answer states: `error`, `errors`, `success: false`, an RFC 9457 problem. A mere `message` or
 * `detail` is one only where the status of the response says that it failed.
 */
export function statedError(value: Json, failed: boolean): string | undefined {
  if (!isObject(value)) return undefined
  const denied =
    failed ||
    value['success'] === false ||
    value['ok'] === false ||
    /^(?:error|fail(?:ed|ure)?)$/i.test(String(value['status'] ?? ''))
  const stated =
    wordsOf(value['error']) ??
    listed(value['errors']) ??
    problem(value) ??
    (denied ? (wordsOf(value['message']) ?? wordsOf(value['detail']) ?? wordsOf(value['reason'])) : undefined)
  if (stated === undefined) return undefined
  // OAuth and many others name the error in one field and describe it in another.
  const more = value['error_description'] ?? value['message'] ?? value['detail']
  const described = typeof value['error'] === 'string' && typeof more === 'string' ? `: ${more}` : ''
  return shortLine(`${stated}${described}`)
}

function wordsOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value
  if (Array.isArray(value)) return listed(value)
  if (!isObject(value)) return undefined
  const message =
    value['message'] ?? value['msg'] ?? value['detail'] ?? value['title'] ?? value['description']
  const code = value['code'] ?? value['type'] ?? value['status']
  const where = fieldOf(value)
  const words = [
    typeof code === 'string' || typeof code === 'number' ? String(code) : '',
    where,
    typeof message === 'string' ? message : '',
  ].filter((part) => part !== '')
  return words.length > 0 ? words.join(' ') : (compact(value as Json, 200) ?? 'an error')
}

/** The place in the request that a validation error is about. */
function fieldOf({ field, param, path, loc, pointer }: JsonObject): string {
  const place = field ?? param ?? path ?? loc ?? pointer
  if (Array.isArray(place)) return place.map(String).join('.')
  return typeof place === 'string' ? place : ''
}

function listed(value: unknown): string | undefined {
  if (isObject(value)) {
    const fields = Object.entries(value).slice(0, ERRORS_SHOWN_MAX)
    return fields.length === 0 ? undefined : fields.map(([name, said]) => `${name} ${plain(said)}`).join('; ')
  }
  if (!Array.isArray(value) || value.length === 0) return undefined
  const words = value.slice(0, ERRORS_SHOWN_MAX).map((item) => wordsOf(item) ?? String(item))
  const more = value.length > ERRORS_SHOWN_MAX ? ` and ${value.length - ERRORS_SHOWN_MAX} more` : ''
  return `${words.join('; ')}${more}`
}

const plain = (value: unknown): string =>
  typeof value === 'string' ? value : (compact(value as Json, 120) ?? '…')

/** RFC 9457: `type`, `title`, `status` (400 and up), `detail`. */
function problem({ title, detail, status }: JsonObject): string | undefined {
  if (typeof title !== 'string' || typeof status !== 'number' || status < 400) return undefined
  return typeof detail === 'string' ? `${title}: ${detail}` : title
}
