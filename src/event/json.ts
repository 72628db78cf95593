import { TwotrackError } from '../errors.ts'
import { JSON_DEPTH_MAX } from '../limits.ts'

/** A value that JSON can hold. Everything recorded is one. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Canonical JSON: keys sorted by code unit, no white space, numbers as ECMAScript prints them. The same value
 * gives the same text whatever order its keys were set in; what JSON cannot hold is refused, not dropped.
 */
export function canonical(value: Json, depth = 0): string {
  if (depth > JSON_DEPTH_MAX) {
    throw new TwotrackError(
      'limit',
      `JSON nested deeper than ${JSON_DEPTH_MAX} cannot be recorded; pass it as text.`,
    )
  }
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TwotrackError('bad_event', `${value} is not a JSON number.`)
    return JSON.stringify(value)
  }
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, depth + 1)).join(',')}]`
  if (typeof value !== 'object') {
    throw new TwotrackError('bad_event', `A value of type ${typeof value} cannot be recorded as JSON.`)
  }
  const fields: string[] = []
  for (const key of Object.keys(value).sort()) {
    const field = value[key]
    if (field !== undefined) fields.push(`${JSON.stringify(key)}:${canonical(field, depth + 1)}`)
  }
  return `{${fields.join(',')}}`
}

/** Parses text that should be JSON; `undefined` when it is not. */
export function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Any value a tool may return, as JSON: what JSON has no word for becomes its text, too deep or circular
 * structures become a marker. Never throws; total work is bounded by the size of the value.
 */
export function toJson(value: unknown): Json {
  return convert(value, 0, new Set())
}

function convert(value: unknown, depth: number, path: Set<object>): Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return Number.isFinite(value) ? value : String(value)
    case 'undefined':
      return null
    case 'object':
      return value === null ? null : convertObject(value, depth, path)
    default:
      return String(value)
  }
}

function convertObject(value: object, depth: number, path: Set<object>): Json {
  if (depth >= JSON_DEPTH_MAX) return '[deeper levels left out]'
  if (path.has(value)) return '[circular]'
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString()
  if (value instanceof Error) return { name: value.name, message: value.message }
  if (value instanceof Uint8Array) return Array.from(value)
  path.add(value)
  const converted = Array.isArray(value)
    ? value.map((item) => convert(item, depth + 1, path))
    : convertFields(value instanceof Map ? Object.fromEntries(value) : value, depth, path)
  path.delete(value)
  return converted
}

function convertFields(value: object, depth: number, path: Set<object>): JsonObject {
  const fields: [string, Json][] = []
  for (const [key, field] of Object.entries(value)) {
    if (field !== undefined && typeof field !== 'function')
      fields.push([key, convert(field, depth + 1, path)])
  }
  // fromEntries defines own properties, so a key named __proto__ stays a key.
  return Object.fromEntries(fields)
}

/** Whether a value nests no deeper than the limit; does not recurse, so any depth can be asked about. */
export function withinDepth(value: unknown, max = JSON_DEPTH_MAX): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > max) return false
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []))
  }
  return true
}
