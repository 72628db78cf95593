import { isObject, type Json, type JsonObject } from '../../event/json.ts'

/** A JSON value as a Python literal. JSON's own texts are Python texts, but for lone halves of a pair. */
export function pythonSource(value: Json, indent = ''): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'string') return JSON.stringify(value.toWellFormed())
  if (typeof value === 'number') return String(value)
  const inner = `${indent}    `
  const items = Array.isArray(value)
    ? value.map((item) => pythonSource(item, inner))
    : isObject(value)
      ? Object.entries(value as JsonObject).map(
          ([key, item]) => `${pythonSource(key)}: ${pythonSource(item, inner)}`,
        )
      : []
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  if (items.length === 0) return `${open}${close}`
  return `${open}\n${items.map((item) => `${inner}${item},\n`).join('')}${indent}${close}`
}
