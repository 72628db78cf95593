import { type Json, tryParse, withinDepth } from '../event/json.ts'

const JSON_CHARS_MAX = 32 * 1024 * 1024
/** Of lines that are JSON each, how many may be something else: a banner, a last line cut short. */
const OTHER_LINES_MAX = 0.1
/** Deeper than can be recorded: not even parsed. */
const TOO_DEEP = /^(?:\s?\[){80}/

/** The JSON that a tool's output is: its structured output, or its text read as JSON or as one value a line. */
export function jsonOf(output: Json | undefined, text: string): Json | undefined {
  if (typeof output === 'object' && output !== null) return output
  if (text.length > JSON_CHARS_MAX) return undefined
  const trimmed = unfenced(text.trim())
  if (!/^[[{]/.test(trimmed) || TOO_DEEP.test(trimmed)) return undefined
  return parsed(trimmed) ?? eachLine(trimmed)
}

function parsed(text: string): Json | undefined {
  const value = tryParse(text)
  return typeof value === 'object' && value !== null && withinDepth(value) ? (value as Json) : undefined
}

/** NDJSON: a list of what its lines hold. */
function eachLine(text: string): Json[] | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  if (lines.length < 2) return undefined
  const values: Json[] = []
  for (const [at, line] of lines.entries()) {
    const value = /^\s*[[{]/.test(line) ? parsed(line) : undefined
    if (value !== undefined) values.push(value)
    else if (at - values.length > at * OTHER_LINES_MAX) return undefined
  }
  return values.length < 2 ? undefined : values
}

/** Without the code fence that some tools put around it. */
function unfenced(text: string): string {
  if (!text.startsWith('```') || !text.endsWith('```')) return text
  const start = text.indexOf('\n')
  return start === -1 ? text : text.slice(start + 1, -3).trim()
}
