import type { Json } from '../event/json.ts'

/** JSON without the quotes that no reader needs; undefined when it is longer than `max`. */
export function compact(value: Json, max: number): string | undefined {
  if (typeof value === 'string') return value.length <= max ? onOneLine(value) : undefined
  if (value === null || typeof value !== 'object') return String(value)
  const parts: string[] = []
  let length = 2
  for (const name in value) {
    const field = (value as { [key: string]: Json })[name] ?? null
    const text = compact(field, max - length)
    if (text === undefined) return undefined
    const part = Array.isArray(value) ? text : `${name}: ${text}`
    length += part.length + 2
    if (length > max) return undefined
    parts.push(part)
  }
  return Array.isArray(value) ? `[${parts.join(', ')}]` : `{${parts.join(', ')}}`
}

const onOneLine = (text: string): string =>
  text.includes('\n') ? text.replaceAll('\r', '').replaceAll('\n', ' ') : text
