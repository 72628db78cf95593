import { type Json, tryParse } from '../../event/json.ts'
import { JSON_DEPTH_MAX } from '../../limits.ts'

/** JSON that an output holds. */
export interface JsonText {
  readonly value: Json
  /** Follows a number in a sentence; empty when all of it was read. */
  readonly aside: string
}

/** Values are read as far as this: parsing takes its time by their number, and no packet would show more. */
const VALUES_MAX = 50_000
const LINES_MAX = 10_000
/** Of lines that are JSON each, how many may be something else: a banner, a last line cut short. */
const OTHER_LINES_MAX = 0.1
const HEAD_ONLY = ' (only the head looked at)'

/** The JSON that a tool's output is: its structured output, or its text read as JSON or as one value a line. */
export function jsonOf(output: Json | undefined, text: string): JsonText | undefined {
  if (typeof output === 'object' && output !== null) return { value: output, aside: '' }
  const trimmed = unfenced(text.trim())
  if (!/^[[{]/.test(trimmed)) return undefined
  const json = whole(trimmed)
  return json ?? eachLine(trimmed)
}

function whole(text: string): JsonText | undefined {
  const json = headOf(text)
  const value = json === undefined ? undefined : tryParse(json)
  if (json === undefined || typeof value !== 'object' || value === null) return undefined
  return { value: value as Json, aside: json === text ? '' : HEAD_ONLY }
}

/**
 * The text, if one value spans it; of very many values the first, with all that is open behind them closed. Undefined
 * for what is no JSON or nested deeper than can be recorded: that need not be parsed.
 */
function headOf(text: string): string | undefined {
  const open: string[] = []
  let values = 0
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '"':
        at = stringEnd(text, at)
        break
      case '[':
      case '{':
        open.push(text[at] === '[' ? ']' : '}')
        values++
        if (open.length > JSON_DEPTH_MAX) return undefined
        break
      case ']':
      case '}':
        open.pop()
        if (open.length === 0) return at === text.length - 1 ? text : undefined
        break
      case ',':
        if (++values > VALUES_MAX) return text.slice(0, at) + open.reverse().join('')
    }
  }
  return undefined
}

/** The quote that ends a string; what follows a backslash belongs to it. */
function stringEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at
  }
  return text.length
}

/** NDJSON: a list of what its lines hold. */
function eachLine(text: string): JsonText | undefined {
  const values: Json[] = []
  let filled = 0
  for (let from = 0; from < text.length && filled < LINES_MAX; ) {
    const found = text.indexOf('\n', from)
    const to = found === -1 ? text.length : found
    const line = text.slice(from, to)
    from = to + 1
    if (line.trim() === '') continue
    const read = /^\s*[[{]/.test(line) ? whole(line.trim()) : undefined
    if (read !== undefined) values.push(read.value)
    else if (filled - values.length > filled * OTHER_LINES_MAX) return undefined
    filled++
  }
  const aside = filled < LINES_MAX ? '' : HEAD_ONLY
  return values.length < 2 ? undefined : { value: values, aside }
}

/** Without the code fence that some tools put around it. */
function unfenced(text: string): string {
  if (!text.startsWith('```') || !text.endsWith('```')) return text
  const start = text.indexOf('\n')
  return start === -1 ? text : text.slice(start + 1, -3).trim()
}
