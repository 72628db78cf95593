import { isObject, type Json } from '../../core/event/json.ts'
import type { LanguageName } from '../../nodes/node.ts'

const DEPTH_MAX = 16

/** Whether a value may have a type as it is written in the source. A type that says too little takes every value. */
export function fitsType(type: string | null, value: Json, language: LanguageName): boolean {
  if (type === null) return true
  return language === 'python' ? fitsPython(type.trim(), value, 0) : fitsScript(type.trim(), value, 0)
}

function fitsPython(type: string, value: Json, depth: number): boolean {
  if (depth > DEPTH_MAX) return true
  const quoted = /^(["'])([^"']+)\1$/.exec(type)?.[2]
  if (quoted !== undefined) return fitsPython(quoted, value, depth + 1)
  const options = splitTop(type, '|')
  if (options.length > 1) return options.some((option) => fitsPython(option, value, depth + 1))
  const open = type.indexOf('[')
  const outer = (open === -1 ? type : type.slice(0, open)).replace(/^(?:typing|collections\.abc|t)\./, '')
  const inner = open === -1 || !type.endsWith(']') ? [] : splitTop(type.slice(open + 1, -1), ',')
  const fits = (index: number) => (item: Json) => fitsPython(inner[index] ?? 'Any', item, depth + 1)
  switch (outer) {
    case 'str':
      return typeof value === 'string'
    case 'int':
      return Number.isInteger(value)
    case 'float':
      return typeof value === 'number'
    case 'bool':
      return typeof value === 'boolean'
    case 'None':
      return value === null
    case 'Optional':
      return value === null || fits(0)(value)
    case 'Union':
      return inner.some((_, index) => fits(index)(value))
    case 'Literal':
      return inner.some((one) => isLiteral(one, value))
    case 'Annotated':
    case 'Final':
      return fits(0)(value)
    case 'list':
    case 'List':
    case 'Sequence':
      return Array.isArray(value) && value.every(fits(0))
    case 'dict':
    case 'Dict':
    case 'Mapping':
      return isObject(value) && Object.values(value).every((one) => fits(1)(one as Json))
    default:
      return true
  }
}

function fitsScript(type: string, value: Json, depth: number): boolean {
  if (depth > DEPTH_MAX) return true
  const fits = (inner: string | undefined) => (item: Json) => fitsScript(inner ?? 'unknown', item, depth + 1)
  const options = splitTop(type, '|').filter((option) => option !== '')
  if (options.length > 1) return options.some((option) => fits(option)(value))
  if (type.startsWith('readonly ')) return fits(type.slice('readonly '.length).trim())(value)
  if (type.startsWith('(') && type.endsWith(')') && !type.includes('=>'))
    return fits(type.slice(1, -1).trim())(value)
  if (type.endsWith('[]')) return Array.isArray(value) && value.every(fits(type.slice(0, -2).trim()))
  const [, generic, parts = ''] = /^(Array|ReadonlyArray|Record|Readonly)<(.*)>$/s.exec(type) ?? []
  const inner = splitTop(parts, ',')
  if (generic === 'Record')
    return isObject(value) && Object.values(value).every((one) => fits(inner[1])(one as Json))
  if (generic === 'Readonly') return fits(inner[0])(value)
  if (generic !== undefined) return Array.isArray(value) && value.every(fits(inner[0]))
  if (/^(?:string|number|boolean)$/.test(type)) return typeof value === type
  if (type === 'null') return value === null
  if (type.startsWith('{')) return isObject(value)
  return !/^(?:["'].*["']|-?\d+(?:\.\d+)?|true|false)$/s.test(type) || isLiteral(type, value)
}

/** Whether a value is the one that a literal in the source stands for. */
function isLiteral(text: string, value: Json): boolean {
  const quoted = /^(["'])(.*)\1$/s.exec(text.trim())?.[2]
  if (quoted !== undefined) return value === quoted
  const words: Record<string, Json> = { true: true, false: false, True: true, False: false, None: null }
  const word = text.trim()
  return Object.hasOwn(words, word) ? value === words[word] : String(value) === word
}

const CLOSERS: Readonly<Record<string, string>> = { '[': ']', '(': ')', '{': '}', '<': '>' }

/**
 * Splits at a character that stands in no brackets and no quotes; the parts are trimmed. One pass.
 * @internal
 */
export function splitTop(text: string, separator: string): string[] {
  const parts: string[] = []
  const open: string[] = []
  let quote = ''
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? ''
    if (quote !== '') {
      if (char === quote) quote = ''
    } else if (char === '"' || char === "'") quote = char
    else if (char in CLOSERS) open.push(CLOSERS[char] ?? '')
    else if (char === open.at(-1) && text[at - 1] !== '=') open.pop()
    else if (char === separator && open.length === 0) {
      parts.push(text.slice(from, at).trim())
      from = at + 1
    }
  }
  return [...parts, text.slice(from).trim()]
}
