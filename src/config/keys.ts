import { z } from 'zod'
import { configSchema } from './config.ts'

/** One key of the configuration. */
export interface ConfigKey {
  readonly kind: 'key'
  readonly name: string
  /** `runner.memory.packet_size_limit` */
  readonly path: string
  /** The environment variable that overrides it. */
  readonly variable: string
  /** What it accepts, in words: `a whole number from 64 to 2000000`. */
  readonly type: string
  readonly default: unknown
  readonly description: string
  readonly schema: z.ZodType
  /** Its value as JSON Schema has it. */
  readonly shape: Shape
}

export interface ConfigSection {
  readonly kind: 'section'
  readonly path: string
  readonly description: string
  readonly members: ReadonlyMap<string, ConfigSection | ConfigKey>
}

export type Shape = z.core.JSONSchema.BaseSchema

/** The schema as a tree of sections and keys. */
export const configTree: ConfigSection = section(configSchema, '', '')

/** Every key, in the order of the schema. */
export const configKeys = (from: ConfigSection = configTree): ConfigKey[] =>
  [...from.members.values()].flatMap((member) => (member.kind === 'key' ? [member] : configKeys(member)))

function section(schema: z.ZodObject, path: string, description: string): ConfigSection {
  const members = Object.entries(schema.shape).map(
    ([name, field]) => [name, member(field, name, path === '' ? name : `${path}.${name}`)] as const,
  )
  return { kind: 'section', path, description, members: new Map(members) }
}

function member(schema: z.core.$ZodType, name: string, path: string): ConfigSection | ConfigKey {
  if (schema instanceof z.ZodPrefault) {
    const inner = schema.unwrap()
    if (inner instanceof z.ZodObject) return section(inner, path, schema.description ?? '')
  }
  if (schema instanceof z.ZodDefault && schema.description !== undefined) {
    const { description } = schema
    const shape = z.toJSONSchema(schema)
    const variable = `TWOTRACK_${path.replaceAll('.', '_').toUpperCase()}`
    const told = { type: words(shape), default: schema.parse(undefined), description }
    return { kind: 'key', name, path, variable, ...told, schema, shape }
  }
  throw new TypeError(`Schema of ${path}: a key needs a default and a description, a section .prefault({}).`)
}

export function words(shape: Shape | boolean): string {
  if (typeof shape === 'boolean') return 'anything'
  if (shape.anyOf !== undefined) return shape.anyOf.map(words).join(' or ')
  if (shape.const !== undefined) return String(shape.const)
  if (shape.enum !== undefined) return `one of ${shape.enum.join(', ')}`
  switch (shape.type) {
    case 'boolean':
      return 'true or false'
    case 'null':
      return 'null'
    case 'number':
      return `a number from ${shape.minimum} to ${shape.maximum}`
    case 'integer':
      return `a whole number from ${shape.minimum} to ${shape.maximum}`
    case 'array': {
      const item = Array.isArray(shape.items) ? 'a value' : words(shape.items ?? true)
      return `a list; each item ${item}${shape.uniqueItems === true ? ', no item twice' : ''}`
    }
    case 'object':
      if (shape.properties === undefined) return 'a map'
      return `{${Object.entries(shape.properties ?? {})
        .map(([name, field]) => `${name}: ${words(field)}`)
        .join(', ')}}`
    case 'string':
      return shape.maxLength === undefined ? 'non-empty text' : `text of 1 to ${shape.maxLength} characters`
    default:
      return 'a value'
  }
}
