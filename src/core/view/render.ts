import { sanitizeLine, sanitizeText } from '../../text/sanitize.ts'
import { canonical, type Json } from '../event/json.ts'

/** A line of the outline; where in its entry the value stands that it shows, and what of that value. */
export type OutlineLine = readonly [text: string, path?: string | undefined, part?: string | undefined]

export const bullet = (text: string): string => `- ${sanitizeLine(text)}`
export const plain = (value: Json): string =>
  sanitizeLine(typeof value === 'string' ? value : canonical(value))

/** A text of several lines behind a first word; all but the first are moved in. */
export const indented = (text: string, head = '', margin = '  ', path?: string): OutlineLine[] =>
  sanitizeText(text)
    .split('\n')
    .map((line, at) => [`${at === 0 ? head : margin}${line}`, path, line])

/** A name as a part of a JSON pointer. */
export const escaped = (part: string): string => part.replaceAll('~', '~0').replaceAll('/', '~1')

export const FENCE = '````'
/**
 * Text as it was, without a mark before each line: whoever edits a file has to quote it exactly. It stands between two
 * fences, and a line in it that could be taken for one is moved in by a space.
 */
export const fenced = (text: string): string[] =>
  sanitizeText(text)
    .split('\n')
    .map((line) => (line.startsWith(FENCE) ? ` ${line}` : line))

/** The packet as JSON, one field a line, empty fields left out; line breaks inside strings stay escaped. */
export function jsonLines(packet: object): OutlineLine[] {
  const fields = Object.entries(packet).filter(([, value]) => !isEmpty(value))
  return fields.map(([name, value], at) => {
    const text = `${JSON.stringify(name)}:${canonical(clean(value))}`
    return [`${at === 0 ? '{' : ''}${text}${at === fields.length - 1 ? '}' : ','}`, `/${name}`]
  })
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)

function clean(value: Json): Json {
  if (typeof value === 'string') return sanitizeText(value)
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(clean)
  const fields = Object.entries(value).filter(([, field]) => !isEmpty(field))
  return Object.fromEntries(fields.map(([key, field]) => [sanitizeLine(key), clean(field)]))
}
