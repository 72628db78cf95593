import { isObject, tryParse } from '../../event/json.ts'
import { MODEL_CALLS_MAX } from '../../limits.ts'
import { readArguments } from '../calls.ts'
import { errorInstead, noCompletion, Unusable } from '../faults.ts'
import { contentOf, type Parts } from './read.ts'

interface Gathered {
  index: number
  id: string
  tool: string
  text: string
}

/**
 * Puts a streamed answer together from the data of its events. Without `[DONE]` and without a finish reason it
 * counts as cut off.
 */
export async function gather(events: AsyncIterable<string>): Promise<Parts> {
  const calls: Gathered[] = []
  let text = ''
  let refusal = ''
  let finish: string | undefined
  let usage: unknown
  let deltas = 0
  let ended = false
  for await (const data of events) {
    ended = data.trim() === '[DONE]'
    if (ended) break
    const chunk = tryParse(data)
    if (!isObject(chunk)) throw noCompletion(data)
    if (isObject(chunk['error'])) throw errorInstead(chunk)
    usage = chunk['usage'] ?? usage
    const choice = firstChoice(chunk['choices'])
    if (!choice) continue
    if (typeof choice['finish_reason'] === 'string') finish = choice['finish_reason']
    const delta = choice['delta']
    if (!isObject(delta)) continue
    deltas++
    text += contentOf(delta['content'])
    refusal += contentOf(delta['refusal'])
    if (Array.isArray(delta['tool_calls'])) for (const part of delta['tool_calls']) add(calls, part)
  }
  if (finish === undefined && !ended) {
    throw new Unusable({ kind: 'truncated', retry: true }, 'ended its stream before the answer was whole.')
  }
  if (deltas === 0) throw noCompletion('a stream without any part of an answer')
  return {
    text: text || refusal,
    refused: refusal !== '',
    // Servers may interleave calls; their index is the order they are meant in.
    calls: calls
      .sort((a, b) => a.index - b.index)
      .map(({ id, tool, text: args }) => ({ id, tool, args: readArguments(args) })),
    ...(finish === undefined ? {} : { finish }),
    usage,
  }
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
function add(calls: Gathered[], part: unknown): void {
  if (!isObject(part)) return
  const called = isObject(part['function']) ? part['function'] : {}
  const id = typeof part['id'] === 'string' ? part['id'] : ''
  const name = typeof called['name'] === 'string' ? called['name'] : ''
  const index = typeof part['index'] === 'number' ? part['index'] : undefined
  const open = index === undefined ? calls.at(-1) : calls.findLast((call) => call.index === index)
  const begins = name !== '' && (index === undefined || id !== open?.id)
  const call =
    open && !(begins && open.tool !== '') ? open : { index: index ?? calls.length, id, tool: '', text: '' }
  if (call !== open) {
    if (calls.length > MODEL_CALLS_MAX) return
    calls.push(call)
  }
  if (call.tool === '') call.tool = name
  if (call.id === '') call.id = id
  const text = called['arguments']
  if (typeof text === 'string') call.text += text
  else if (text !== undefined && text !== null) call.text += JSON.stringify(text)
}
