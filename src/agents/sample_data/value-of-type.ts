import type { Json } from '../../event/json.ts'
import type { LanguageName } from '../../nodes/node.ts'
import { splitTop } from './split.ts'

/** A type written in the source, and the name of what has it, as a hint at its content. */
export interface Typed {
  readonly type: string | null
  readonly name: string
  readonly language: LanguageName
}

const DEPTH_MAX = 16

/** Sample values that fit a declared type, plain ones and those at the edge; none when the type is not understood. */
export function valuesOfType({ type, name, language }: Typed): Json[] {
  if (type === null) return []
  const made = language === 'python' ? pythonValues(type.trim(), name, 0) : scriptValues(type.trim(), name, 0)
  return made.filter((value, index) => made.findIndex((other) => same(other, value)) === index)
}

const same = (one: Json, other: Json): boolean => JSON.stringify(one) === JSON.stringify(other)

const texts = (name: string): Json[] => [`sample ${name.replace(/\W+/g, ' ').trim()}`.trim(), '']
const WHOLE: readonly Json[] = [1, 0, -1]
const REAL: readonly Json[] = [1.5, 0, -1.5]

function pythonValues(type: string, name: string, depth: number): Json[] {
  if (depth > DEPTH_MAX) return []
  const quoted = /^(["'])([^"']+)\1$/.exec(type)
  if (quoted?.[2] !== undefined) return pythonValues(quoted[2], name, depth + 1)
  const options = splitTop(type, '|')
  if (options.length > 1) return options.flatMap((option) => pythonValues(option, name, depth + 1))
  const open = type.indexOf('[')
  const outer = (open === -1 ? type : type.slice(0, open)).replace(/^(?:typing|collections\.abc|t)\./, '')
  const inner = open === -1 || !type.endsWith(']') ? [] : splitTop(type.slice(open + 1, -1), ',')
  const values = (index: number) => pythonValues(inner[index] ?? 'str', name, depth + 1)
  switch (outer) {
    case 'str':
      return texts(name)
    case 'int':
      return [...WHOLE]
    case 'float':
      return [...REAL]
    case 'bool':
      return [true, false]
    case 'None':
      return [null]
    case 'Optional':
      return [...values(0), null]
    case 'Union':
      return inner.flatMap((_, index) => values(index))
    case 'Literal':
      return inner.flatMap(literal)
    case 'Annotated':
    case 'Final':
      return values(0)
    case 'list':
    case 'List':
    case 'Sequence':
    case 'Iterable':
    case 'Collection':
      return listsOf(values(0))
    case 'dict':
    case 'Dict':
    case 'Mapping':
      return inner[0] === undefined || ['str', 'Any'].includes(inner[0]) ? mapsOf(values(1)) : []
    default:
      return []
  }
}

function scriptValues(type: string, name: string, depth: number): Json[] {
  if (depth > DEPTH_MAX) return []
  const options = splitTop(type, '|').filter((option) => option !== '')
  if (options.length > 1) return options.flatMap((option) => scriptValues(option, name, depth + 1))
  if (type.startsWith('readonly '))
    return scriptValues(type.slice('readonly '.length).trim(), name, depth + 1)
  if (type.startsWith('(') && type.endsWith(')') && splitTop(type, ',').length === 1 && !type.includes('=>'))
    return scriptValues(type.slice(1, -1).trim(), name, depth + 1)
  if (type.endsWith('[]')) return listsOf(scriptValues(type.slice(0, -2).trim(), name, depth + 1))
  const generic = /^(Array|ReadonlyArray|Record|Readonly|Partial)<(.*)>$/s.exec(type)
  const inner = splitTop(generic?.[2] ?? '', ',')
  const values = (index: number) => scriptValues(inner[index] ?? 'string', name, depth + 1)
  if (generic?.[1] === 'Record') return inner[0] === 'string' ? mapsOf(values(1)) : []
  if (generic?.[1] === 'Readonly') return values(0)
  if (generic) return generic[1] === 'Partial' ? [] : listsOf(values(0))
  if (type.startsWith('{') && type.endsWith('}')) return objectOf(type.slice(1, -1), depth)
  switch (type) {
    case 'string':
      return texts(name)
    case 'number':
      return [...WHOLE, 1.5]
    case 'boolean':
      return [true, false]
    case 'null':
      return [null]
    default:
      return literal(type)
  }
}

/** `{ name: string; count?: number }`: one object with every field. */
function objectOf(body: string, depth: number): Json[] {
  const fields: [string, Json][] = []
  for (const field of splitTop(body.replaceAll('\n', ';'), ';').flatMap((part) => splitTop(part, ','))) {
    if (field === '') continue
    const parsed = /^(?:readonly )?(\w+)\??\s*:\s*(.+)$/s.exec(field)
    const [value] =
      parsed?.[2] === undefined ? [] : scriptValues(parsed[2].trim(), parsed[1] ?? '', depth + 1)
    if (parsed?.[1] === undefined || value === undefined) return []
    fields.push([parsed[1], value])
  }
  return [Object.fromEntries(fields)]
}

const listsOf = (items: readonly Json[]): Json[] => (items.length === 0 ? [] : [[...items.slice(0, 2)], []])
const mapsOf = (items: readonly Json[]): Json[] => (items[0] === undefined ? [] : [{ sample: items[0] }, {}])

function literal(text: string): Json[] {
  const quoted = /^(["'])([^"'\\]*)\1$/.exec(text.trim())
  if (quoted?.[2] !== undefined) return [quoted[2]]
  if (/^-?\d+(?:\.\d+)?$/.test(text.trim())) return [Number(text)]
  const words: Record<string, Json> = { true: true, false: false, True: true, False: false, None: null }
  const word = Object.hasOwn(words, text.trim()) ? words[text.trim()] : undefined
  return word === undefined ? [] : [word]
}
