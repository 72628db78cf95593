import { canonical, isObject, type Json } from '../event/json.ts'
import { cut } from '../packet/cut.ts'
import { type Intent, intentOf } from './intent.ts'
import { shortLine } from './lines.ts'

const LABEL_CHARS_MAX = 110
const PATTERN_CHARS_MAX = 80
const TELLING_CHARS_MAX = 2_000

/** The call in a few words: what it was for, not how it was spelled. Also the key of what was learned from it. */
export function labelOf(tool: string, args: Json, intent: Intent = intentOf(args)): string {
  return cut(inWords(tool, args, intent), LABEL_CHARS_MAX)
}

function inWords(tool: string, args: Json, intent: Intent): string {
  switch (intent.kind) {
    case 'read':
      return placeOf(intent.path, intent.from, intent.to)
    case 'search':
      return intent.path === undefined
        ? searchFor(intent.pattern)
        : `${intent.path} (${searchFor(intent.pattern)})`
    case 'list':
      return `listing of ${intent.path}`
    case 'edit':
    case 'write':
      return intent.path
    case 'run':
      return `$ ${commandInShort(intent.command)}`
    case 'other':
      return `${tool} ${argsInShort(args)}`.trim()
  }
}

export const placeOf = (path: string, from?: number, to?: number): string =>
  from === undefined || from === 0 ? path : `${path} lines ${from}${to === undefined ? '' : `-${to}`}`

const searchFor = (pattern: string): string => `search "${cut(firstLine(pattern), PATTERN_CHARS_MAX)}"`

/** Where it was run is the same every time; what was run is not. */
function commandInShort(command: string): string {
  const line = command.replace(/\s+/g, ' ').trim()
  const moved = /^cd \S+ (?:&&|;) /.exec(line)
  return moved ? line.slice(moved[0].length) : line
}

function argsInShort(args: Json): string {
  if (!isObject(args))
    return args === null ? '' : shortLine(typeof args === 'string' ? args : canonical(args))
  const entries = Object.entries(args as Record<string, Json>)
  const only = entries.length === 1 ? entries[0]?.[1] : undefined
  if (typeof only === 'string') return shortLine(telling(only))
  return entries.map(([name, value]) => `${name}=${cut(firstLine(inText(value)), 60)}`).join(' ')
}

/** Code on one line without its imports: calls that begin alike must not share a key. */
function telling(code: string): string {
  const lines = code.slice(0, TELLING_CHARS_MAX).split('\n')
  const told = lines.filter((line) => !/^\s*(?:import|from) /.test(line))
  return (told.some((line) => line.trim() !== '') ? told : lines).join(' ').replace(/\s+/g, ' ').trim()
}

const inText = (value: Json): string => (typeof value === 'string' ? value : canonical(value))

const firstLine = (text: string): string => {
  const end = text.indexOf('\n')
  return end === -1 ? text : `${text.slice(0, end)} …`
}
