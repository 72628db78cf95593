import { defined, isObject, type Json, type JsonObject } from '../../core/event/json.ts'
import { sanitizeText } from '../../text/sanitize.ts'

/** Schemas in the declaration of one tool, fields and items included; what comes after them is not declared. */
const SCHEMAS_DECLARED_MAX = 1000

/** The schema that references start from, those being followed, and how many schemas may still be declared. */
interface Walk {
  readonly root: unknown
  readonly following: readonly string[]
  readonly budget: { left: number }
}

/**
 * What a declaration can hold of a JSON Schema, in the form the model was shown: description, type, enum, properties,
 * required, items, nullable. Unions with null become `nullable`, constants one-value enums; of any other union the
 * first member is declared. Local references are followed, but not into themselves. Whatever else a schema demands is
 * left to the check of the arguments.
 */
export function declared(
  schema: unknown,
  walk: Walk = { root: schema, following: [], budget: { left: SCHEMAS_DECLARED_MAX } },
): JsonObject {
  if (!isObject(schema) || walk.budget.left-- <= 0) return {}
  const ref = schema['$ref']
  if (typeof ref === 'string') {
    if (walk.following.includes(ref)) return described(schema)
    const target = declared(follow(walk.root, ref), { ...walk, following: [...walk.following, ref] })
    return { ...target, ...described(schema) }
  }
  const union = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(union)) return { ...ofUnion(union, walk), ...described(schema) }
  const values = valuesOf(schema)
  const type = typeOf(schema, values)
  const nullable = schema['nullable'] === true || allowsNull(schema) || values.includes(null)
  const choices = values.filter((value) => value !== null)
  return {
    ...described(schema),
    ...(choices.length > 0 ? { enum: choices } : {}),
    ...declaredFields(schema, walk),
    ...defined({ nullable: nullable || undefined, type }),
  }
}

function declaredFields(schema: Record<string, unknown>, walk: Walk): JsonObject {
  const [first] = [schema['items'] ?? schema['prefixItems']].flat()
  const items = declared(first, walk)
  const fields = isObject(schema['properties']) ? Object.entries(schema['properties']) : []
  const properties = fields.map(([name, field]) => [name, declared(field, walk)] as const)
  const names = Array.isArray(schema['required']) ? schema['required'] : []
  const required = names.filter((name) => typeof name === 'string')
  return {
    ...(Object.keys(items).length > 0 ? { items } : {}),
    ...(properties.length > 0 ? { properties: Object.fromEntries(properties) } : {}),
    ...(required.length > 0 ? { required } : {}),
  }
}

function ofUnion(union: readonly unknown[], walk: Walk): JsonObject {
  const members = union.filter((member) => !isNull(member)).map((member) => declared(member, walk))
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
    ? { description: sanitizeText(schema['description']) }
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
