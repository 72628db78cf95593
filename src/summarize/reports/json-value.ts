/** A value inside parsed JSON of unknown shape. */
export type JsonValue = unknown

const JSON_CHARS_MAX = 32 * 1024 * 1024

/** The JSON document in an output that may have banner lines before it; undefined when there is none. */
export function jsonIn(text: string): JsonValue | undefined {
  if (text.length > JSON_CHARS_MAX) return undefined
  const trimmed = text.trim()
  const start = /^[[{]/.test(trimmed) ? 0 : trimmed.search(/^[[{]["{\n\]]/m)
  if (start === -1) return undefined
  const last = Math.max(trimmed.lastIndexOf(']'), trimmed.lastIndexOf('}'))
  return last > start ? parsed(trimmed.slice(start, last + 1)) : undefined
}

/** One value per line that is a JSON object, as streaming reporters write them. */
export function jsonLines(lines: readonly string[]): JsonValue[] {
  return lines.flatMap((line) => {
    const value = line.startsWith('{') ? parsed(line) : undefined
    return value === undefined ? [] : [value]
  })
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The value at a path of keys; undefined where it ends. */
export function at(value: JsonValue, ...keys: readonly (string | number)[]): JsonValue {
  let here = value
  for (const key of keys) {
    if (typeof here !== 'object' || here === null) return undefined
    here = Object.hasOwn(here, key) ? Reflect.get(here, key) : undefined
  }
  return here
}

export function textAt(value: JsonValue, ...keys: readonly (string | number)[]): string | undefined {
  const found = at(value, ...keys)
  return typeof found === 'string' ? found : undefined
}

export function numberAt(value: JsonValue, ...keys: readonly (string | number)[]): number | undefined {
  const found = at(value, ...keys)
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined
}

export function listAt(value: JsonValue, ...keys: readonly (string | number)[]): readonly JsonValue[] {
  const found = at(value, ...keys)
  return Array.isArray(found) ? found : []
}
