import { isObject, tryParse } from '../../event/json.ts'
import { type ReadCall, readArguments } from '../calls.ts'
import { parseAnswer } from '../functiongemma/answer.ts'
import { CALL } from '../functiongemma/tokens.ts'
import { closing, firstJson } from '../json-in-text.ts'

interface Found {
  readonly text: string
  readonly calls: readonly ReadCall[]
}

/**
 * Calls that a server left in the text, in the formats that models are trained on. Marked ones are calls
 * whatever they name; bare or fenced JSON is one only if it names a tool that was offered.
 */
export function callsInText(text: string, toolNames: readonly string[]): Found {
  const said = afterThinking(text)
  for (const [mark, read] of FORMATS) {
    const at = said.indexOf(mark)
    if (at < 0) continue
    const found = read(said, at)
    if (found.calls.length > 0) return found
  }
  const calls = jsonCalls(jsonOf(said), new Set(toolNames))
  return calls.length > 0 ? { text: '', calls } : { text, calls: [] }
}

const FORMATS: readonly (readonly [mark: string, read: (text: string, at: number) => Found])[] = [
  [CALL, functionGemma],
  ['[TOOL_CALLS]', mistral],
  ['<tool_call>', (text) => tagged(text, '<tool_call>', '</tool_call>', taggedCalls)],
  ['<function=', (text) => tagged(text, '<function=', '</function>', functionCalls)],
]

function functionGemma(text: string): Found {
  const { text: rest, calls, problems } = parseAnswer(text)
  return { text: rest, calls: [...calls, ...problems.map(({ tool, raw }) => ({ tool, args: raw }))] }
}

/** `[TOOL_CALLS] [{"name":…,"arguments":…}]`, or `[TOOL_CALLS]name[ARGS]{…}` once for each call. */
function mistral(text: string, at: number): Found {
  const [, ...parts] = text.slice(at).split('[TOOL_CALLS]')
  const calls = parts.flatMap((part): ReadCall[] => {
    const named = part.indexOf('[ARGS]')
    if (named < 0) return jsonCalls(tryParse(part.trim()) ?? firstJson(part))
    const tool = (part.slice(0, named).split('[CALL_ID]')[0] ?? '').trim()
    return tool === '' ? [] : [{ tool, args: readArguments(part.slice(named + '[ARGS]'.length)) }]
  })
  return { text: text.slice(0, at).trim(), calls }
}

/** Reads what stands between tags, a missing end included; what stands outside is text. */
function tagged(text: string, open: string, close: string, read: (inside: string) => ReadCall[]): Found {
  const [said = '', ...parts] = text.split(open)
  const outside = [said]
  const calls: ReadCall[] = []
  for (const part of parts) {
    // The last one: arguments may hold the tag as text.
    const end = part.lastIndexOf(close)
    const found = read(end < 0 ? part : part.slice(0, end))
    // Nothing up to that tag: it may be a text, and the end itself missing.
    calls.push(...(found.length > 0 ? found : read(part)))
    if (end >= 0) outside.push(part.slice(end + close.length).replace('</tool_call>', ''))
  }
  return { text: outside.join('').trim(), calls }
}

function taggedCalls(inside: string): ReadCall[] {
  const at = inside.indexOf('<function=')
  if (at >= 0) return functionCalls(inside.slice(at + '<function='.length))
  return jsonCalls(tryParse(inside.trim()) ?? firstJson(inside))
}

/** What follows `<function=`: `name>{…}`, or `name>` and parameters in tags of their own. */
function functionCalls(inside: string): ReadCall[] {
  const end = inside.indexOf('>')
  const tool = inside.slice(0, Math.max(end, 0)).trim()
  if (tool === '') return []
  const body = inside.slice(end + 1).replace('</function>', '')
  if (!body.includes('<parameter=')) return [{ tool, args: readArguments(body) }]
  const [, ...parts] = body.split('<parameter=')
  const fields = parts.flatMap((part): [string, unknown][] => {
    const named = part.indexOf('>')
    if (named < 0) return []
    const close = part.lastIndexOf('</parameter>')
    const value = part
      .slice(named + 1, close < 0 ? part.length : close)
      .replace(/^\n/, '')
      .replace(/\n$/, '')
    return [[part.slice(0, named).trim(), tryParse(value) ?? value]]
  })
  return [{ tool, args: readArguments(Object.fromEntries(fields)) }]
}

/** Calls in a JSON value: one, a list, or either under `tool_calls`. With names given, only calls of those. */
function jsonCalls(value: unknown, names?: ReadonlySet<string>): ReadCall[] {
  const list = isObject(value) && Array.isArray(value['tool_calls']) ? value['tool_calls'] : value
  const calls = (Array.isArray(list) ? list : [list]).flatMap((item: unknown): ReadCall[] => {
    if (!isObject(item)) return []
    const call = isObject(item['function']) ? item['function'] : item
    const tool = call['name'] ?? call['tool'] ?? call['function'] ?? call['tool_name']
    if (typeof tool !== 'string' || tool === '' || (names && !names.has(tool))) return []
    const args = call['arguments'] ?? call['parameters'] ?? call['args'] ?? call['input']
    const id = item['id']
    return [{ ...(typeof id === 'string' ? { id } : {}), tool, args: readArguments(args) }]
  })
  return calls
}

/** The text as JSON, or what its first fence holds. Words before or after JSON make it no call. */
function jsonOf(text: string): unknown {
  const whole = text.trim()
  if ((whole.startsWith('{') || whole.startsWith('[')) && closing(whole, 0) === whole.length - 1) {
    return tryParse(whole)
  }
  const fence = whole.indexOf('```')
  const begin = fence < 0 ? -1 : whole.indexOf('\n', fence)
  const end = begin < 0 ? -1 : whole.indexOf('```', begin)
  return end < 0 ? undefined : tryParse(whole.slice(begin, end).trim())
}

/** Reasoning that a server left before the answer is not where calls are made. */
function afterThinking(text: string): string {
  const at = text.lastIndexOf('</think>')
  const said = at < 0 ? text : text.slice(at + '</think>'.length)
  return said.replace('<|python_tag|>', '')
}
