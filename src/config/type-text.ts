import { z } from 'zod'
import type { Leaf } from './keys.ts'

type Shape = z.core.JSONSchema._JSONSchema

/** What a schema accepts, in words: `a whole number from 64 to 2000000`. */
export const typeText = (schema: z.ZodType): string => words(z.toJSONSchema(schema))

/** Whether a key takes any text, so that a value from the command line needs no quotes. */
export const takesText = (leaf: Leaf): boolean => {
  const shape = z.toJSONSchema(leaf.schema)
  return shape.type === 'string' && shape.enum === undefined
}

/** The words that a key, or an item of its list, may be; empty when it is not a choice of words. */
export function choices(leaf: Leaf): string[] {
  const shape = z.toJSONSchema(leaf.schema)
  const items = typeof shape.items === 'object' && !Array.isArray(shape.items) ? shape.items : undefined
  return (shape.enum ?? items?.enum ?? []).filter((word) => typeof word === 'string')
}

/** The names of the fields that a key's value may have when it is written as a map. */
export function fieldNames(leaf: Leaf): string[] {
  const shape = z.toJSONSchema(leaf.schema)
  return [shape, ...(shape.anyOf ?? [])].flatMap((option) =>
    typeof option === 'object' ? Object.keys(option.properties ?? {}) : [],
  )
}

function words(shape: Shape): string {
  if (typeof shape === 'boolean') return 'anything'
  if (shape.anyOf !== undefined) return shape.anyOf.map(words).join(' or ')
  if (shape.const !== undefined) return String(shape.const)
  if (shape.enum !== undefined) return `one of ${shape.enum.join(', ')}`
  switch (shape.type) {
    case 'boolean':
      return 'true or false'
    case 'integer':
      return `a whole number from ${shape.minimum} to ${shape.maximum}`
    case 'array': {
      const item = Array.isArray(shape.items) ? 'a value' : words(shape.items ?? true)
      return `a list; each item ${item}${shape.uniqueItems === true ? ', no item twice' : ''}`
    }
    case 'object':
      return `{${Object.entries(shape.properties ?? {})
        .map(([name, field]) => `${name}: ${words(field)}`)
        .join(', ')}}`
    case 'string':
      return shape.maxLength === undefined ? 'non-empty text' : `text of 1 to ${shape.maxLength} characters`
    default:
      return 'a value'
  }
}
