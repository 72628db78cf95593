import { isObject, type Json, type JsonObject } from '../../event/json.ts'
import { JSON_DEPTH_MAX } from '../../limits.ts'
import { neutralText } from '../../prompt/sanitize.ts'

/**
 * What a declaration can hold of a JSON Schema, in the form the model was shown: description, type, enum, properties, required, items, nullable.
 * Unions with null become `nullable`, constants one-value enums, local references are followed; of any other
 * union the first member is declared. Whatever else a schema demands is left to the check of the arguments.
 */
export function declared(schema: unknown, root: unknown = schema, depth = 0): JsonObject {
  if (!isObject(schema) || depth > JSON_DEPTH_MAX) return {}
  if (typeof schema['$ref'] === 'string') {
    const target = declared(follow(root, schema['$ref']), root, depth + 1)
    return { ...target, ...described(schema) }
  }
  const union = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(union)) return { ...ofUnion(union, root, depth), ...described(schema) }
  const values = valuesOf(schema)
  const type = typeOf(schema, values)
  const nullable = schema['nullable'] === true || allowsNull(schema) || values.includes(null)
  const choices = values.filter((value) => value !== null)
  return {
    ...described(schema),
    ...(choices.length > 0 ? { enum: choices } : {}),
    ...fieldsOf(schema, root, depth),
    ...(nullable ? { nullable } : {}),
    ...(type === undefined ? {} : { type }),
  }
}

function fieldsOf(schema: Record<string, unknown>, root: unknown, depth: number): JsonObject {
  const prefix = Array.isArray(schema['prefixItems']) ? schema['prefixItems'][0] : undefined
  const items = declared(
    Array.isArray(schema['items']) ? schema['items'][0] : (schema['items'] ?? prefix),
    root,
    depth + 1,
  )
  const properties = Object.entries(isObject(schema['properties']) ? schema['properties'] : {})
  const required = Array.isArray(schema['required'])
    ? schema['required'].filter((name) => typeof name === 'string')
    : []
  return {
    ...(Object.keys(items).length > 0 ? { items } : {}),
    ...(properties.length > 0
      ? {
          properties: Object.fromEntries(
            properties.map(([name, field]) => [name, declared(field, root, depth + 1)]),
          ),
        }
      : {}),
    ...(required.length > 0 ? { required } : {}),
  }
}

function ofUnion(union: readonly unknown[], root: unknown, depth: number): JsonObject {
  const members = union.filter((member) => !isNull(member)).map((member) => declared(member, root, depth + 1))
  const choices = members.flatMap((member) => (Array.isArray(member['enum']) ? member['enum'] : [undefined]))
  const known = choices.filter((choice) => choice !== undefined)
  const nullable = members.length < union.length || members.some((member) => member['nullable'] === true)
  return {
    ...members[0],
    ...(known.length === choices.length && known.length > 0 ? { enum: known } : {}),
    ...(nullable ? { nullable } : {}),
  }
}

const described = (schema: Record<string, unknown>): JsonObject =>
  typeof schema['description'] === 'string' && schema['description'] !== ''
    ? { description: neutralText(schema['description']) }
    : {}

function valuesOf(schema: Record<string, unknown>): Json[] {
  if (Array.isArray(schema['enum'])) return schema['enum']
  return isScalar(schema['const']) ? [schema['const']] : []
}

function typeOf(schema: Record<string, unknown>, values: readonly Json[]): string | undefined {
  const type = Array.isArray(schema['type']) ? schema['type'].find((name) => name !== 'null') : schema['type']
  if (typeof type === 'string') return type.toUpperCase()
  if (isObject(schema['properties'])) return 'OBJECT'
  if (schema['items'] !== undefined) return 'ARRAY'
  const value = values.find((choice) => choice !== null)
  return isScalar(value) && value !== null ? (typeof value).toUpperCase() : undefined
}

const isScalar = (value: unknown): value is string | number | boolean | null =>
  value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
const isNull = (schema: unknown): boolean =>
  isObject(schema) && (schema['type'] === 'null' || schema['const'] === null)
const allowsNull = (schema: Record<string, unknown>): boolean =>
  Array.isArray(schema['type']) && schema['type'].includes('null')

/** `#/$defs/Name` and the like; anything outside this schema is not followed. */
function follow(root: unknown, ref: string): unknown {
  if (!ref.startsWith('#/')) return undefined
  return ref
    .slice(2)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, part) => (isObject(at) && Object.hasOwn(at, part) ? at[part] : undefined), root)
}
