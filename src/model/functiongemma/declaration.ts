import type { ToolDeclaration } from '../../event/event.ts'
import { isObject, type Json, type JsonObject } from '../../event/json.ts'
import { neutralLine, neutralText } from '../../prompt/sanitize.ts'
import { ValueReader } from './parse-value.ts'
import { declared } from './schema.ts'
import { DECLARATION, END_DECLARATION } from './tokens.ts'
import { renderObject } from './value.ts'

/** The declarations of the tools, one after the other. Descriptions are neutralised: tools may come from others. */
export function renderDeclarations(tools: readonly ToolDeclaration[]): string {
  return tools
    .map(({ name, description, parameters }) => {
      const body = renderObject({
        description: neutralText(description),
        parameters: mapSchema({ type: 'object', ...declared(parameters) }, neutralText, upper),
      })
      return `${DECLARATION}declaration:${neutralLine(name)}${body}${END_DECLARATION}`
    })
    .join('')
}

/** The tools that rendered declarations declare. Throws `Unreadable` where they are not in the format. */
export function parseDeclarations(text: string): ToolDeclaration[] {
  return text
    .split(DECLARATION)
    .slice(1)
    .map((part) => {
      const open = part.indexOf('{')
      const name = part.slice('declaration:'.length, open)
      const { description, parameters } = new ValueReader(part, open).object()
      return {
        name,
        description: typeof description === 'string' ? description : '',
        parameters: isJsonObject(parameters) ? mapSchema(parameters, (said) => said, lower) : {},
      }
    })
}

/** Changes descriptions and type names where they are the schema's own, and not the names of properties. */
function mapSchema(
  schema: JsonObject,
  description: (text: string) => string,
  type: (name: string) => string,
): JsonObject {
  const entries = Object.entries(schema).map(([keyword, value]): [string, Json] => {
    if (keyword === 'description' && typeof value === 'string') return [keyword, description(value)]
    if (keyword === 'type' && typeof value === 'string') return [keyword, type(value)]
    if (keyword === 'items' && isJsonObject(value)) return [keyword, mapSchema(value, description, type)]
    if (keyword !== 'properties' || !isJsonObject(value)) return [keyword, value]
    const fields = Object.entries(value).map(([name, field]): [string, Json] => [
      name,
      isJsonObject(field) ? mapSchema(field, description, type) : field,
    ])
    return [keyword, Object.fromEntries(fields)]
  })
  return Object.fromEntries(entries)
}

const isJsonObject = (value: Json | undefined): value is JsonObject => isObject(value)
const upper = (name: string): string => name.toUpperCase()
const lower = (name: string): string => name.toLowerCase()
