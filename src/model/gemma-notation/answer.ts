import { isObject, type JsonObject, tryParse } from '../../core/event/json.ts'
import { JSON_DEPTH_MAX } from '../../limits.ts'
import { CALL, END_CALL, END_TURN, ESCAPE, RESPONSE } from './tokens.ts'

export interface ParsedAnswer {
  /** What is not part of a call. */
  readonly text: string
  /** The calls that were read with certainty, in order. */
  readonly calls: readonly { readonly tool: string; readonly args: JsonObject }[]
  /** Calls that were begun and cannot be read: what was written, and what is wrong with it. */
  readonly problems: readonly Problem[]
  /** The server left the control tokens out: a call cannot be read with certainty. */
  readonly hidden: boolean
}

interface Problem {
  readonly tool: string
  readonly raw: string
  readonly what: string
  /** The answer ended before the call did. */
  readonly cut: boolean
}

/**
 * Reads an answer in FunctionGemma's format. Never throws; a call is given whole or as a problem. Calls end an answer:
 * one that stands in a sentence, a list, a fence or quotation marks, or has words after it, is shown and not called.
 */
export function parseAnswer(answer: string): ParsedAnswer {
  const said = withoutInvention(answer)
  const [before = '', ...parts] = said.split(CALL)
  const hidden = parts.length === 0 && before.trimStart().startsWith('call:')
  const calls: { tool: string; args: JsonObject }[] = []
  const problems: Problem[] = []
  let isShown = !hidden && !SENTENCE_END.test(before)
  for (const [index, part] of (hidden ? [before.trimStart()] : parts).entries()) {
    const end = part.indexOf(END_CALL)
    // The beginning of the next call ends this one too, whatever is missing.
    const ended = end >= 0 || index < parts.length - 1
    const call = parseCall(end < 0 ? part : part.slice(0, end), ended, hidden)
    if ('what' in call) problems.push(call)
    else calls.push({ tool: call.tool, args: call.args })
    const rest = end < 0 ? ('rest' in call ? call.rest : '') : part.slice(end + END_CALL.length)
    isShown ||= rest.trim() !== ''
  }
  if (parts.length > 0 && isShown) return { text: said.trim(), calls: [], problems: [], hidden }
  return { text: hidden ? '' : before.trim(), calls, problems, hidden }
}

/** Nothing, or a sentence that has ended: not the number of a list, nor an announcement of what is shown next. */
const SENTENCE_END = /^\s*$|[\p{L})\]][.!?…]\s*$/u

/** What follows the end of the turn, or begins a tool's answer, was never the model's to write. */
function withoutInvention(answer: string): string {
  const ends = [END_TURN, RESPONSE].map((token) => answer.indexOf(token)).filter((at) => at >= 0)
  return ends.length > 0 ? answer.slice(0, Math.min(...ends)) : answer
}

function parseCall(
  raw: string,
  ended: boolean,
  hidden: boolean,
): { tool: string; args: JsonObject; rest: string } | Problem {
  const open = raw.indexOf('{')
  const head = (open < 0 ? raw : raw.slice(0, open)).trim()
  const tool = head.startsWith('call:') ? head.slice('call:'.length).trim() : ''
  if (tool === '' || open < 0) {
    const what = tool === '' ? 'no "call:" with a name' : 'no arguments in braces'
    return { tool, raw, what, cut: !ended }
  }
  const read = readObject(raw, open)
  if ('what' in read) return { tool, raw, what: read.what, cut: read.cut && !ended }
  const rest = raw.slice(read.end).trim()
  // Without the tokens around it nobody knows whether it was to be called, or only spoken of.
  if (hidden) return { tool, raw, what: 'a call that lost its bounds', cut: false }
  if (ended && rest !== '') return { tool, raw, what: 'text between the arguments and their end', cut: false }
  return { tool, args: read.args, rest }
}

/** A string of either kind (JSON's own is what models fall back to), a word up to what may end it, a bracket or a comma. */
const tokens = (wordEnds: string): RegExp =>
  new RegExp(String.raw`\s*(?:${ESCAPE}([^]*?)${ESCAPE}|(")|((?!")[^${wordEnds}]+)|([{}[\],]))`, 'y')
const VALUE = tokens(String.raw`,{}[\]<`)
const KEY = tokens(String.raw`:,{}[\]<`)
const COLON = /\s*:/y
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/
/** Python's words too: models fall back to them. */
const WORDS = new Map(
  Object.entries({ true: 'true', false: 'false', null: 'null', True: 'true', False: 'false', None: 'null' }),
)

/**
 * Reads the object at a place by writing it as JSON: time is linear in its length.
 * @internal
 */
export function readObject(
  text: string,
  from: number,
): { args: JsonObject; end: number } | { what: string; cut: boolean } {
  const json: string[] = []
  const open: string[] = []
  let end = from
  do {
    const before = json.at(-1) ?? ''
    const isKey = open.at(-1) === '}' && (before === '{' || before === ',')
    const token = isKey ? KEY : VALUE
    token.lastIndex = end
    const [whole, escaped, quote, bare, mark] = token.exec(text) ?? []
    const start = end + (whole?.length ?? 0) - 1
    const quoted = quote && text.slice(start, stringEnd(text, start))
    if (whole === undefined || quoted === '') {
      const unread = text.slice(end).trimStart()
      const cut = unread === '' || unread.startsWith(ESCAPE) || unread.startsWith('"')
      return { what: cut ? 'a value without its end' : `no value at character ${end + 1}`, cut }
    }
    end = quoted === undefined ? start + 1 : start + quoted.length
    if (mark === '{' || mark === '[') open.push(mark === '{' ? '}' : ']')
    if (open.length > JSON_DEPTH_MAX + 1)
      return { what: `a value is nested deeper than ${JSON_DEPTH_MAX}`, cut: false }
    if (mark === '}' || mark === ']') {
      if (before === ',') json.pop()
      if (open.pop() !== mark) return { what: `no "${mark}" to be closed at character ${end}`, cut: false }
    }
    const word = bare?.trim() ?? escaped ?? ''
    const number = NUMBER.test(word) && Number.isFinite(Number(word)) ? String(Number(word)) : undefined
    const known = isKey || bare === undefined ? undefined : (WORDS.get(word) ?? number)
    json.push(mark ?? quoted ?? known ?? JSON.stringify(word))
    COLON.lastIndex = end
    if (isKey && mark === undefined && COLON.test(text)) {
      json.push(':')
      end = COLON.lastIndex
    }
  } while (open.length > 0)
  const args = tryParse(json.join(''))
  if (isObject(args)) return { args: args as JsonObject, end }
  return { what: 'arguments that are not written as an object', cut: false }
}

/** Behind the quote that ends a string; by hand, since a pattern runs out of stack in a long one. */
function stringEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at + 1
  }
  return from
}
