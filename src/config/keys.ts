import { z } from 'zod'
import { configSchema } from './config.ts'
import { typeText } from './type-text.ts'

/** One key of the configuration, as people see it. */
export interface ConfigKey {
  /** `runner.memory.packet_size_limit` */
  readonly path: string
  /** The environment variable that overrides it. */
  readonly variable: string
  readonly type: string
  readonly default: unknown
  readonly description: string
}

export interface Section {
  readonly kind: 'section'
  readonly path: string
  readonly description: string
  readonly members: ReadonlyMap<string, Section | Leaf>
}

/** A key with the schema that checks its value. */
export interface Leaf extends ConfigKey {
  readonly kind: 'key'
  readonly name: string
  readonly schema: z.ZodType
}

const root = section(configSchema, '', '')

/** The schema as a tree of sections and keys. */
export const configTree = (): Section => root

/** Every key, in the order of the schema. */
export const configKeys = (): ConfigKey[] =>
  leaves(root).map((leaf) => ({
    path: leaf.path,
    variable: leaf.variable,
    type: leaf.type,
    default: leaf.default,
    description: leaf.description,
  }))

export function leaves(from: Section): Leaf[] {
  return [...from.members.values()].flatMap((member) => (member.kind === 'key' ? [member] : leaves(member)))
}

function section(schema: z.ZodObject, path: string, description: string): Section {
  const members = new Map<string, Section | Leaf>()
  for (const [name, field] of Object.entries(schema.shape)) {
    const at = path === '' ? name : `${path}.${name}`
    members.set(name, member(field, name, at))
  }
  return { kind: 'section', path, description, members }
}

function member(field: z.core.$ZodType, name: string, path: string): Section | Leaf {
  if (field instanceof z.ZodPrefault) {
    const inner = field.unwrap()
    if (inner instanceof z.ZodObject) return section(inner, path, field.description ?? '')
  }
  if (field instanceof z.ZodDefault && field.description !== undefined) {
    return {
      kind: 'key',
      name,
      path,
      variable: `TWOTRACK_${path.replaceAll('.', '_').toUpperCase()}`,
      type: typeText(field),
      default: field.parse(undefined),
      description: field.description,
      schema: field,
    }
  }
  throw new TypeError(`Schema of ${path}: a key needs a default and a description, a section .prefault({}).`)
}
