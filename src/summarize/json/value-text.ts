import type { Json, JsonObject } from '../../event/json.ts'

/** JSON without the quotes that no reader needs; undefined when it is longer than `max`. */
export function compact(value: Json, max: number): string | undefined {
  if (typeof value === 'string') return value.length <= max ? onOneLine(value) : undefined
  if (value === null || typeof value !== 'object') return String(value)
  return Array.isArray(value) ? listText(value, max) : fieldsText(value, max)
}

function listText(items: readonly Json[], max: number): string | undefined {
  // Each takes two characters or more, its comma and a space.
  if (2 + 2 * items.length > max) return undefined
  const parts: string[] = []
  let length = 2
  for (const item of items) {
    const text = compact(item, max - length)
    if (text === undefined) return undefined
    length += text.length + 2
    if (length > max) return undefined
    parts.push(text)
  }
  return `[${parts.join(', ')}]`
}

function fieldsText(value: JsonObject, max: number): string | undefined {
  const parts: string[] = []
  let length = 2
  for (const name in value) {
    const text = compact(value[name] ?? null, max - length)
    if (text === undefined) return undefined
    const part = `${name}: ${text}`
    length += part.length + 2
    if (length > max) return undefined
    parts.push(part)
  }
  return `{${parts.join(', ')}}`
}

const onOneLine = (text: string): string =>
  text.includes('\n') ? text.replaceAll('\r', '').replaceAll('\n', ' ') : text
