import { isObject, tryParse } from '../../core/event/json.ts'
import { MODEL_CALLS_MAX } from '../../limits.ts'
import { identified, type ReadCall, readArguments, usageOf } from '../calls.ts'
import { noCompletion, quote, Unusable } from '../faults.ts'
import type { ModelAnswer } from '../model.ts'
import { callsInText } from './text-calls.ts'

/**
 * The answer in a chat completion; of several choices the first counts. Calls are looked for in the text only where
 * the names of tools are given for that, and never in a refusal.
 */
export function answerOf(body: unknown, turn: number, inText: readonly string[] = []): ModelAnswer {
  const choices = isObject(body) ? body['choices'] : undefined
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined
  const message = isObject(choice) ? choice['message'] : undefined
  if (!isObject(body) || !isObject(choice) || !isObject(message))
    throw noCompletion(JSON.stringify(body) ?? '')
  const content = contentText(message['content'])
  const refusal = contentText(message['refusal'])
  const finish = choice['finish_reason']
  const structured = callsOf(message['tool_calls'])
  const left = structured.length > 0 || refusal !== '' ? undefined : callsInText(content, inText)
  const calls = left ?? structured
  const cut = finish === 'length' ? calls.find(({ args }) => !isObject(args)) : undefined
  if (cut) {
    const what = `reached the limit of answer tokens in the middle of a call of "${quote(cut.tool)}".`
    throw new Unusable('truncated', false, `${what} Raise that limit.`)
  }
  const usage = isObject(body['usage']) ? body['usage'] : {}
  return {
    text: left ? '' : content || refusal,
    calls: identified(calls, turn),
    ...usageOf(usage['prompt_tokens'], usage['completion_tokens']),
    ...(typeof finish === 'string' ? { finish } : {}),
  }
}

/** Text, or a list of parts of which some are text. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((part) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .join('')
}

function callsOf(given: unknown): ReadCall[] {
  if (!Array.isArray(given)) return []
  return given.flatMap((call: unknown): ReadCall[] => {
    const called = isObject(call) && isObject(call['function']) ? call['function'] : undefined
    if (!isObject(call) || typeof called?.['name'] !== 'string') return []
    const id = typeof call['id'] === 'string' ? { id: call['id'] } : {}
    return [{ ...id, tool: called['name'], args: readArguments(called['arguments']) }]
  })
}

/** A call as far as it has come. */
interface Begun {
  index: number
  id: string
  readonly function: { name: string; arguments: string }
}

/**
 * Puts a stream together, from the data of its events, as the completion that would have come whole. Without `[DONE]`
 * and without a finish reason it counts as cut off.
 */
export async function gather(events: AsyncIterable<string>): Promise<unknown> {
  const calls: Begun[] = []
  const message = { content: '', refusal: '', tool_calls: calls }
  let finish_reason: string | undefined
  let usage: unknown
  let deltas = 0
  let ended = false
  for await (const data of events) {
    ended = data.trim() === '[DONE]'
    if (ended) break
    const chunk = tryParse(data)
    if (!isObject(chunk) || chunk['error']) throw noCompletion(data)
    usage = chunk['usage'] ?? usage
    const choice = firstChoice(chunk['choices'])
    if (typeof choice?.['finish_reason'] === 'string') finish_reason = choice['finish_reason']
    const delta = choice?.['delta']
    if (!isObject(delta)) continue
    deltas++
    message.content += contentText(delta['content'])
    message.refusal += contentText(delta['refusal'])
    if (Array.isArray(delta['tool_calls'])) for (const part of delta['tool_calls']) add(calls, part)
  }
  if (finish_reason === undefined && !ended) {
    throw new Unusable('truncated', true, 'ended its stream before the answer was whole.')
  }
  if (deltas === 0) throw noCompletion('a stream without any part of an answer')
  // Servers may interleave calls; their index is the order they are meant in.
  calls.sort((a, b) => a.index - b.index)
  return { choices: [{ message, finish_reason }], usage }
}

/** Of several choices, the one numbered 0. */
function firstChoice(choices: unknown): Record<string, unknown> | undefined {
  if (!Array.isArray(choices)) return undefined
  return choices.filter(isObject).find(({ index }) => index === undefined || index === 0)
}

/**
 * A part belongs to the last call of its index, unless it names a tool anew under another id: servers that
 * number every call 0 do that. Without an index it belongs to the last call, or begins one if it has a name.
 */
function add(calls: Begun[], part: unknown): void {
  if (!isObject(part)) return
  const { name, arguments: text }: Record<string, unknown> = isObject(part['function'])
    ? part['function']
    : {}
  const id = typeof part['id'] === 'string' ? part['id'] : ''
  const index = typeof part['index'] === 'number' ? part['index'] : undefined
  const last = index === undefined ? calls.at(-1) : calls.findLast((call) => call.index === index)
  const begins = typeof name === 'string' && name !== '' && (index === undefined || id !== last?.id)
  let call = begins && last?.function.name !== '' ? undefined : last
  if (!call) {
    if (calls.length > MODEL_CALLS_MAX) return
    call = { index: index ?? calls.length, id, function: { name: '', arguments: '' } }
    calls.push(call)
  }
  call.id ||= id
  if (typeof name === 'string') call.function.name ||= name
  if (text !== undefined && text !== null)
    call.function.arguments += typeof text === 'string' ? text : JSON.stringify(text)
}
