import type { Json } from '../../event/json.ts'

/** A field with its value, as it stands in an object. */
export type Field = readonly [string, Json]

const BULKY_CHARS_MIN = 100
const FIELDS_MAX = 4_000
/** `id`, `order_id`, `orderId`, `flight_number`, `sku`: what a later call asks for a thing by. */
const NAMES_A_THING =
  /(?:^|[_-])(?:id|ids|uuid|guid|key|code|number|no|slug|sku|ref|sha|name|title|login|username|email|symbol)$|(?:Id|ID|Key|Code|Number|Name|Ref)$/
const TELLING =
  /(?:^|[_-])(?:status|state|type|kind|amount|price|total|sum|count|balance|currency|quantity|date|time|at|on|due|start|end|url|uri|href|path|error|message|role|version)s?$|(?:Status|State|Type|Amount|Price|Total|Count|Date|Time|At|Url|URL|Path|Message)$/

/** How soon a field should be read: ids and names, then states, amounts, dates and addresses, then the rest. */
function rankOf([name, value]: Field): number {
  if (isEmpty(value)) return 5
  if (isBulky(value)) return 4
  if (typeof value === 'object') return 3
  const short = name.slice(-40)
  if (NAMES_A_THING.test(short)) return 0
  return TELLING.test(short) ? 1 : 2
}

/** The fields of an object, those that carry meaning first; bulky text and empty ones last. */
export function fieldsOf(value: { readonly [key: string]: Json }): Field[] {
  return Object.keys(value)
    .slice(0, FIELDS_MAX)
    .map((name, at) => {
      const field = [name, value[name] ?? null] as const
      return { field, at, rank: rankOf(field) }
    })
    .sort((a, b) => a.rank - b.rank || a.at - b.at)
    .map(({ field }) => field)
}

/** Whether a field holds an id or a name. */
export const namesAThing = (field: Field): boolean => rankOf(field) === 0

/** What a thing is asked for by: its first id, or else its first name. */
export function identityOf(value: { readonly [key: string]: Json }): string | undefined {
  const named = fieldsOf(value).filter(namesAThing)
  const best = named.find(([name]) => !/name$|title$|email$/i.test(name)) ?? named[0]
  return best === undefined ? undefined : String(best[1])
}

export function isEmpty(value: Json): boolean {
  if (value === null || value === '') return true
  if (Array.isArray(value)) return value.length === 0
  return typeof value === 'object' && !hasField(value)
}

function hasField(value: { readonly [key: string]: Json }): boolean {
  for (const _ in value) return true
  return false
}

/** Long prose, or an address template that nobody reads (`/users/{id}{/repo}`). */
export const isBulky = (value: Json): boolean =>
  typeof value === 'string' &&
  (value.length > BULKY_CHARS_MIN ? !/^https?:\S+$/.test(value.slice(0, 2_000)) : value.includes('{/'))

/** A number of things, given as such or as their list. */
export function countOf(value: unknown): number | undefined {
  if (Array.isArray(value)) return value.length
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
