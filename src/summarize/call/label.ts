import { canonical, isObject, type Json } from '../../core/event/json.ts'
import { cut } from '../../text/cut.ts'
import { onOneLine, quoted, shortLine } from '../../text/lines.ts'
import type { Intent } from './intent.ts'

const LABEL_CHARS_MAX = 110
const PATTERN_CHARS_MAX = 80
const TELLING_CHARS_MAX = 2_000

/** The call in a few words: what it was for, not how it was spelled. */
export function labelOf(tool: string, args: Json, intent: Intent): string {
  const words = cut(inWords(tool, args, intent), LABEL_CHARS_MAX)
  if (intent.kind === 'run' || !hasSentences(words)) return words
  const [name, text] = intent.kind === 'other' ? [`${tool} `, argsInShort(args)] : ['', words]
  return `${name}${quoted(cut(text, LABEL_CHARS_MAX - name.length - 2))}`
}

/** Prose that an agent gave as an argument: a label stands inside a sentence, with at most one more behind it. */
const hasSentences = (words: string): boolean =>
  words.replace(/"[^"]*"/g, '').split(/[.!?] (?=[A-Z])/, 3).length > 2

function inWords(tool: string, args: Json, intent: Intent): string {
  switch (intent.kind) {
    case 'read':
      return placeWords(intent.path, intent.from, intent.to)
    case 'search':
      return intent.path === undefined
        ? searchFor(intent.pattern)
        : `${searchFor(intent.pattern)} in ${intent.path}`
    case 'list':
      return `listing of ${intent.path}`
    case 'change':
      return intent.path
    case 'run':
      return `$ ${commandInShort(intent.command)}`
    case 'other':
      return `${tool} ${argsInShort(args)}`.trim()
  }
}

export function placeWords(path: string, from?: number, to?: number): string {
  if (from === undefined || from === 0) return path
  if (to === undefined) return `${path} from line ${from}`
  return from === to ? `${path} line ${from}` : `${path} lines ${from}-${to}`
}

const searchFor = (pattern: string): string => `search ${quoted(cut(firstLine(pattern), PATTERN_CHARS_MAX))}`

/** Where it was run is the same every time; what was run is not. Text that it is given is told by its first line. */
function commandInShort(command: string): string {
  const moved = /^\s*cd (?:"[^"\n]*"|'[^'\n]*'|[^\s;&]+)\s*(?:&&|;|\n)\s*/.exec(
    command.slice(0, TELLING_CHARS_MAX),
  )
  return onOneLine(command.slice(moved?.[0].length ?? 0, TELLING_CHARS_MAX))
}

function argsInShort(args: Json): string {
  if (!isObject(args))
    return args === null ? '' : shortLine(typeof args === 'string' ? args : canonical(args))
  const entries = Object.entries(args as Record<string, Json>)
  const only = entries.length === 1 ? entries[0]?.[1] : undefined
  if (typeof only === 'string') return shortLine(codeInShort(only))
  return entries.map(([name, value]) => `${name}=${cut(firstLine(inText(value)), 60)}`).join(' ')
}

/** Code on one line without its imports and comments: calls that begin alike differ behind them. */
function codeInShort(code: string): string {
  const lines = code.slice(0, TELLING_CHARS_MAX).split('\n')
  const rest = lines.filter((line) => !/^\s*(?:import |from |#|\/\/)/.test(line))
  return onOneLine((rest.some((line) => line.trim() !== '') ? rest : lines).join(' '))
}

const inText = (value: Json): string => (typeof value === 'string' ? value : canonical(value))

const firstLine = (text: string): string => {
  const end = text.indexOf('\n')
  return end === -1 ? text : `${text.slice(0, end)} …`
}
