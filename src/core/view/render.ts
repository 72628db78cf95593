import { sanitizeLine, sanitizeText } from '../../text/sanitize.ts'
import type { Settings } from '../event/event.ts'
import { canonical, type Json } from '../event/json.ts'
import type { Reader } from './reader.ts'

/** What a line of text costs. */
export const lineCost =
  (rendering: Settings['rendering'], { count }: Reader) =>
  (line: string): number =>
    count(rendering === 'json' ? JSON.stringify(line).slice(1, -1) : line) + (rendering === 'json' ? 2 : 1)

export const bullet = (text: string): string => `- ${sanitizeLine(text)}`
export const plain = (value: Json): string =>
  sanitizeLine(typeof value === 'string' ? value : canonical(value))

/** Text on lines that are moved in, but for the first. */
export function indented(text: string): string[] {
  const [first = '', ...rest] = sanitizeText(text).split('\n')
  return [first, ...rest.map((line) => `  ${line}`)]
}

export const FENCE = '````'
/**
 * Text as it was, without a mark before each line: whoever edits a file has to quote it exactly. It stands between two
 * fences, and a line in it that could be taken for one is moved in by a space.
 */
export const fenced = (text: string): string[] =>
  sanitizeText(text)
    .split('\n')
    .map((line) => (line.startsWith(FENCE) ? ` ${line}` : line))
