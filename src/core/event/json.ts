import { messageOf, TwotrackError } from '../../errors.ts'
import { JSON_DEPTH_MAX, VALUE_DEPTH_MAX } from '../../limits.ts'

/** How often objects that a tool's result holds more than once are written out again. */
const JSON_REPEATS_MAX = 10_000
/** Values inside one value that a tool returned; what comes after them is left out. */
const JSON_VALUES_MAX = 1_000_000

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

/** The same with the fields that are undefined as optional ones. */
type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** Without the fields that are undefined. */
export const defined = <T extends object>(fields: T): Defined<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>

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
 * structures become a marker. Never throws and always ends: objects that are met again and again are written out only so
 * often, and a value whose getters, proxies or iterators never come to an end is cut.
 */
export function toJson(value: unknown): Json {
  return convert(value, 0, { path: new Set(), met: new Set(), repeats: 0, values: 0 })
}

/** Where a conversion is (`path`), and what it has come by before. */
interface Walk {
  readonly path: Set<object>
  readonly met: Set<object>
  repeats: number
  values: number
}

const LEFT_OUT = `[left out after ${JSON_VALUES_MAX} values]`
const isFull = (walk: Walk): boolean => walk.values >= JSON_VALUES_MAX

function convert(value: unknown, depth: number, walk: Walk): Json {
  if (isFull(walk)) return LEFT_OUT
  walk.values++
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return Number.isFinite(value) ? value : String(value)
    case 'undefined':
      return null
    case 'object':
      return value === null ? null : convertObject(value, depth, walk)
    default:
      return String(value)
  }
}

function convertObject(value: object, depth: number, walk: Walk): Json {
  if (depth >= VALUE_DEPTH_MAX) return '[deeper levels left out]'
  if (walk.path.has(value)) return '[circular]'
  if (walk.met.has(value) && ++walk.repeats > JSON_REPEATS_MAX) return '[repeated]'
  walk.met.add(value)
  walk.path.add(value)
  try {
    return convertKind(value, depth, walk)
  } catch (thrown) {
    return `[unreadable: ${messageOf(thrown)}]` // a getter or proxy of the tool's own that throws
  } finally {
    walk.path.delete(value)
  }
}

function convertKind(value: object, depth: number, walk: Walk): Json {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString()
  if (value instanceof Error) return { name: String(value.name), message: String(value.message) }
  if (value instanceof Uint8Array) return Array.from(value)
  if (isList(value)) return convertItems(value, depth, walk)
  if (isSparse(value)) return convertFields({ ...value, length: value.length }, depth, walk)
  if (value instanceof Map) return convertFields(Object.fromEntries(value), depth, walk)
  if ('toJSON' in value && typeof value.toJSON === 'function') return convert(value.toJSON(), depth + 1, walk)
  return convertFields(value, depth, walk)
}

const isList = (value: object): value is Iterable<unknown> & object =>
  Array.isArray(value)
    ? !isSparse(value)
    : value instanceof Set || (ArrayBuffer.isView(value) && Symbol.iterator in value)

function convertItems(value: Iterable<unknown>, depth: number, walk: Walk): Json[] {
  const items: Json[] = []
  for (const item of value) {
    const isLast = isFull(walk)
    items.push(convert(item, depth + 1, walk))
    if (isLast) break
  }
  return items
}

function convertFields(value: object, depth: number, walk: Walk): JsonObject {
  const fields: [string, Json][] = []
  // Not Object.entries: it would call every getter, also those after the end.
  for (const key of Object.keys(value)) {
    const isLast = isFull(walk)
    const field: unknown = isLast ? LEFT_OUT : value[key as keyof object]
    if (field !== undefined && typeof field !== 'function')
      fields.push([key, convert(field, depth + 1, walk)])
    if (isLast) break
  }
  // fromEntries defines own properties, so a key named __proto__ stays a key.
  return Object.fromEntries(fields)
}

/** A value as it is recorded: as `toJson` makes it, or as text where it is nested too deep to be kept as structure. */
export function recordable(value: unknown): Json {
  try {
    if (!withinDepth(value, VALUE_DEPTH_MAX)) return deepText(value)
  } catch {
    // A getter or proxy that throws: toJson tells where it stands.
  }
  return toJson(value)
}

/** What even JSON.stringify can't walk is cut at the limit. */
function deepText(value: unknown): string {
  try {
    const short = (_: string, item: unknown) => (isSparse(item) ? { ...item, length: item.length } : item)
    return JSON.stringify(value, short) ?? String(value)
  } catch {
    return canonical(toJson(value))
  }
}

/** A list with holes that is longer than its values can be: written out, it would have no end. */
const isSparse = (value: unknown): value is unknown[] =>
  Array.isArray(value) && value.length > JSON_VALUES_MAX && !isDense(value)

function isDense(list: readonly unknown[]): boolean {
  for (let at = 0; at < list.length; at++) if (!(at in list)) return false
  return true
}

/**
 * Whether a value nests no deeper than the limit. Does not recurse, so any depth can be asked about, and looks
 * at an object once a level, so that one which holds itself twice does not double with every level.
 */
export function withinDepth(value: unknown, max = JSON_DEPTH_MAX): boolean {
  let level = new Set<object>(isHolder(value) ? [value] : [])
  for (let depth = 1; level.size > 0; depth++) {
    if (depth > max) return false
    const next = new Set<object>()
    for (const holder of level) {
      for (const item of Object.values(holder)) if (isHolder(item)) next.add(item)
    }
    level = next
  }
  return true
}

const isHolder = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)

/** Whether everything in a value can be looked at in bounded time: no circle, no depth, no doubling, no endless list. */
export function isWalkable(value: unknown, depth = 0, walk = { values: 0 }): boolean {
  if (!isHolder(value)) return true
  if (depth > JSON_DEPTH_MAX || isSparse(value)) return false
  const items = Object.values(value)
  walk.values += items.length
  return walk.values <= WALK_VALUES_MAX && items.every((item) => isWalkable(item, depth + 1, walk))
}

/** A draft holds a few values that `toJson` made. */
const WALK_VALUES_MAX = 8 * JSON_VALUES_MAX

/** Whether a value is JSON as it stands: finite numbers, plain objects and arrays, nothing undefined inside. */
export function isJson(value: unknown): value is Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true
    case 'number':
      return Number.isFinite(value)
    case 'object': {
      if (value === null) return true
      if (Array.isArray(value)) return isDense(value) && value.every(isJson)
      const prototype: unknown = Object.getPrototypeOf(value)
      return (prototype === Object.prototype || prototype === null) && Object.values(value).every(isJson)
    }
    default:
      return false
  }
}
