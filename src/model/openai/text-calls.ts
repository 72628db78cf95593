import { isObject, tryParse } from '../../core/event/json.ts'
import { MODEL_CALLS_MAX } from '../../limits.ts'
import { closing, type ReadCall, readArguments } from '../calls.ts'
import { parseAnswer } from '../gemma-notation/answer.ts'

/** A call at the beginning of a text (several, where the form holds a list), and what follows it. */
interface Taken {
  readonly calls: readonly ReadCall[]
  readonly rest: string
}

/**
 * The calls that a server left in the text, in the forms that models are trained on. The text, reasoning before it
 * left aside, must be nothing but calls, each of a declared tool: a call that is quoted in a sentence or shown in a
 * fence is prose, and undefined is given.
 */
export function callsInText(text: string, toolNames: readonly string[]): readonly ReadCall[] | undefined {
  const calls: ReadCall[] = []
  let rest = afterReasoning(text)
  // One call too many is enough to refuse them all.
  while (rest !== '' && calls.length <= MODEL_CALLS_MAX) {
    const taken = takeFrom(rest)
    if (!taken?.calls.every(({ tool }) => toolNames.includes(tool))) return undefined
    calls.push(...taken.calls)
    rest = taken.rest.trimStart()
  }
  return calls.length > 0 ? calls : undefined
}

function takeFrom(text: string): Taken | undefined {
  const taken = toolTag(text) ?? functionTag(text) ?? mistral(text) ?? jsonCalls(text) ?? gemma(text)
  return taken && taken.calls.length > 0 ? taken : undefined
}

/** `<tool_call>{"name":…,"arguments":…}</tool_call>`, or a function tag inside. */
function toolTag(text: string): Taken | undefined {
  const inside = after('<tool_call>', text)
  const taken = inside === undefined ? undefined : (functionTag(inside) ?? jsonCalls(inside))
  return taken && closed(taken, '</tool_call>')
}

/** `<function=name>{…}</function>`, or with parameters in tags of their own. */
function functionTag(text: string): Taken | undefined {
  const [head, tool] = /^<function=([^<>\s]+)>\s*/.exec(text) ?? []
  if (head === undefined || tool === undefined) return undefined
  const body = text.slice(head.length)
  const fields: [string, unknown][] = []
  let rest = body
  for (;;) {
    const [whole, name = '', value = ''] = PARAMETER.exec(rest) ?? []
    if (whole === undefined) break
    fields.push([name, tryParse(value) ?? value])
    rest = rest.slice(whole.length)
  }
  if (fields.length > 0) {
    return closed({ calls: [{ tool, args: readArguments(Object.fromEntries(fields)) }], rest }, '</function>')
  }
  return closed(withArguments(tool, body), '</function>')
}

/** A call of a tool with the object that stands at the beginning of a text; without one it has no arguments. */
function withArguments(tool: string, body: string): Taken {
  const end = body.startsWith('{') ? closing(body, 0) : undefined
  const args = body.slice(0, (end ?? -1) + 1)
  return { calls: [{ tool, args: readArguments(args) }], rest: body.slice(args.length) }
}

const PARAMETER = /^<parameter=([^<>\s]+)>\n?([\s\S]*?)\n?<\/parameter>\s*/

/** `[TOOL_CALLS][{"name":…,"arguments":…}]`, or `[TOOL_CALLS]name[ARGS]{…}`. */
function mistral(text: string): Taken | undefined {
  const inside = after('[TOOL_CALLS]', text)
  if (inside === undefined) return undefined
  const [head, tool] = /^([^[\]{}\s]+)(?:\[CALL_ID\][^[\]]*)?\[ARGS\]\s*/.exec(inside) ?? []
  if (head === undefined || tool === undefined) return jsonCalls(inside)
  return withArguments(tool, inside.slice(head.length))
}

/** `{"name":…,"arguments":…}`, or a list of such. */
function jsonCalls(text: string): Taken | undefined {
  const end = /^[{[]/.test(text) ? closing(text, 0) : undefined
  if (end === undefined) return undefined
  const value = tryParse(text.slice(0, end + 1))
  const items: unknown[] = Array.isArray(value) ? value : [value]
  const calls = items.flatMap((item): ReadCall[] => {
    const args = isObject(item) ? (item['arguments'] ?? item['parameters']) : undefined
    if (!isObject(item) || typeof item['name'] !== 'string' || args === undefined) return []
    return [{ tool: item['name'], args: readArguments(args) }]
  })
  return calls.length === items.length ? { calls, rest: text.slice(end + 1) } : undefined
}

function gemma(text: string): Taken | undefined {
  const { text: outside, calls, problems, hidden } = parseAnswer(text)
  return outside === '' && problems.length === 0 && !hidden ? { calls, rest: '' } : undefined
}

const after = (mark: string, text: string): string | undefined =>
  text.startsWith(mark) ? text.slice(mark.length).trimStart() : undefined

/** The closing tag must follow; at the end of the text some servers leave it out. */
function closed({ calls, rest }: Taken, tag: string): Taken | undefined {
  const left = rest.trimStart()
  if (left === '') return { calls, rest: left }
  return left.startsWith(tag) ? { calls, rest: left.slice(tag.length) } : undefined
}

function afterReasoning(text: string): string {
  const [head = ''] = /^\s*<think>[\s\S]*?<\/think>/.exec(text) ?? []
  return text
    .slice(head.length)
    .trim()
    .replace(/^<\|python_tag\|>\s*/, '')
}
