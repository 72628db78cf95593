import { isObject, type Json, tryParse, withinDepth } from '../event/json.ts'

const LINE_CHARS_MAX = 200
const LINES_MAX = 2_000

/**
 * Structured output as lines a person can read: a record that fits stands on one line, a larger one is opened
 * field by field, each line with the path that leads to it. Undefined when there is no structure.
 */
export function jsonLines(output: Json | undefined, text: string): string[] | undefined {
  const value = output ?? parsed(text)
  if (value === undefined || value === null || typeof value !== 'object') return undefined
  const lines: string[] = []
  open('', value, lines)
  return lines
}

function parsed(text: string): Json | undefined {
  const trimmed = text.trim()
  if (!/^[[{]/.test(trimmed)) return undefined
  const value = tryParse(trimmed)
  return value !== undefined && withinDepth(value) ? (value as Json) : undefined
}

function open(path: string, value: Json, lines: string[]): void {
  if (lines.length >= LINES_MAX) return
  const short = compact(value, LINE_CHARS_MAX)
  if (short !== undefined) {
    lines.push(path === '' ? short : `${path}: ${short}`)
    return
  }
  if (Array.isArray(value)) for (const item of value) open(path, item, lines)
  else if (isObject(value)) {
    const small: string[] = []
    for (const [name, field] of Object.entries(value as Record<string, Json>)) {
      const text = compact(field, LINE_CHARS_MAX / 2)
      if (text === undefined) open(path === '' ? name : `${path}.${name}`, field, lines)
      else small.push(`${name}: ${text}`)
    }
    pack(path, small, lines)
  } else lines.push(path === '' ? String(value) : `${path}: ${String(value)}`)
}

/** Several short fields share a line. */
function pack(path: string, fields: readonly string[], lines: string[]): void {
  let line = ''
  const end = () => {
    if (line !== '') lines.push(path === '' ? line : `${path}: ${line}`)
    line = ''
  }
  for (const field of fields) {
    if (line.length + field.length > LINE_CHARS_MAX) end()
    line = line === '' ? field : `${line}, ${field}`
  }
  end()
}

/** JSON without the quotes that no reader needs; undefined when it is longer than `max`. */
function compact(value: Json, max: number): string | undefined {
  if (typeof value === 'string') return value.length <= max ? value : undefined
  if (value === null || typeof value !== 'object') return String(value)
  const parts: string[] = []
  let length = 2
  for (const [name, field] of Object.entries(value)) {
    const text = compact(field, max - length)
    if (text === undefined) return undefined
    const part = Array.isArray(value) ? text : `${name}: ${text}`
    length += part.length + 2
    if (length > max) return undefined
    parts.push(part)
  }
  return Array.isArray(value) ? `[${parts.join(', ')}]` : `{${parts.join(', ')}}`
}
