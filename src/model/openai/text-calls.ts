import { isObject, tryParse } from '../../core/event/json.ts'
import { MODEL_CALLS_MAX } from '../../limits.ts'
import { closing, type ReadCall, readArguments } from '../calls.ts'
import { parseAnswer } from '../gemma-notation/answer.ts'

/** Calls at the beginning of a text (several, where the form holds a list), and what follows them. */
interface Taken {
  readonly calls: readonly ReadCall[]
  readonly rest: string
}

/** What models are trained to put around calls; it says nothing by itself, and servers lose some of it. */
const MARK = /^(?:<\/?tool_call>|<\/function>|\[TOOL_CALLS\]|<\|python_tag\|>)\s*/
/** A tool that stands before its arguments: `<function=name>{…}`, `name[ARGS]{…}`. */
const NAMED = /^(?:<function=([^<>\s]+)>|([^[\]{}<>\s]+)(?:\[CALL_ID\][^[\]]*)?\[ARGS\])\s*/
const PARAMETER = /^<parameter=([^<>\s]+)>\n?([\s\S]*?)\n?<\/parameter>\s*/

/**
 * The calls that a server left in the text, in the forms that models are trained on. The text, reasoning before it
 * left aside, must be nothing but calls, each of a declared tool: a call that is quoted in a sentence or shown in a
 * fence is prose, and undefined is given.
 */
export function callsInText(text: string, toolNames: readonly string[]): readonly ReadCall[] | undefined {
  const calls: ReadCall[] = []
  let rest = withoutMarks(text.replace(/^\s*<think>[\s\S]*?<\/think>/, ''))
  // One call too many is enough to refuse them all.
  while (rest !== '' && calls.length <= MODEL_CALLS_MAX) {
    const taken = named(rest) ?? jsonCalls(rest) ?? gemma(rest)
    if (!taken || taken.calls.length === 0) return undefined
    if (!taken.calls.every(({ tool }) => toolNames.includes(tool))) return undefined
    calls.push(...taken.calls)
    rest = withoutMarks(taken.rest)
  }
  return calls.length > 0 ? calls : undefined
}

function withoutMarks(text: string): string {
  let rest = text.trim()
  for (let mark = MARK.exec(rest); mark; mark = MARK.exec(rest)) rest = rest.slice(mark[0].length)
  return rest
}

/** Its arguments are one object, or fields in tags of their own; it may have none. */
function named(text: string): Taken | undefined {
  const [head, tag, before] = NAMED.exec(text) ?? []
  const tool = tag ?? before
  if (head === undefined || tool === undefined) return undefined
  const fields: [string, unknown][] = []
  let rest = text.slice(head.length)
  for (let one = PARAMETER.exec(rest); one; one = PARAMETER.exec(rest)) {
    const [whole, name = '', value = ''] = one
    fields.push([name, tryParse(value) ?? value])
    rest = rest.slice(whole.length)
  }
  if (fields.length > 0) return { calls: [{ tool, args: readArguments(Object.fromEntries(fields)) }], rest }
  const end = rest.startsWith('{') ? closing(rest, 0) : undefined
  const args = rest.slice(0, (end ?? -1) + 1)
  return { calls: [{ tool, args: readArguments(args) }], rest: rest.slice(args.length) }
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
