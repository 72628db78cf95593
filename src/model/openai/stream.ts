import { isObject } from '../../event/json.ts'
import { MODEL_CALLS_MAX } from '../../limits.ts'
import { readArguments } from '../calls.ts'
import { modelFault, NoCompletion } from '../faults.ts'
import { contentOf, type Parts } from './read.ts'

interface Gathered {
  index: number
  id: string
  tool: string
  text: string
}

/**
 * Puts a streamed answer together. `ended` tells whether the stream came to its own end (`[DONE]`); without
 * that and without a finish reason, the answer counts as cut off.
 */
export async function gather(chunks: AsyncIterable<unknown>, ended: () => boolean): Promise<Parts> {
  const calls: Gathered[] = []
  let text = ''
  let finish: string | undefined
  let usage: unknown
  let pieces = 0
  for await (const chunk of chunks) {
    if (!isObject(chunk)) throw new NoCompletion(chunk)
    usage = chunk['usage'] ?? usage
    const choice = firstChoice(chunk['choices'])
    if (!choice) continue
    if (typeof choice['finish_reason'] === 'string') finish = choice['finish_reason']
    const delta = choice['delta']
    if (!isObject(delta)) continue
    pieces++
    text += contentOf(delta['content']) || contentOf(delta['refusal'])
    if (Array.isArray(delta['tool_calls'])) for (const piece of delta['tool_calls']) add(calls, piece)
  }
  if (finish === undefined && !ended()) {
    throw modelFault(
      { kind: 'truncated', retry: true },
      `The model's stream stopped before its end was announced.`,
    )
  }
  if (pieces === 0) throw new NoCompletion('a stream without a piece of an answer')
  return {
    text,
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
 * A piece belongs to the last call of its index, unless it names a tool anew under another id: servers that
 * number every call 0 do that. Without an index it belongs to the last call, or begins one if it has a name.
 */
function add(calls: Gathered[], piece: unknown): void {
  if (!isObject(piece)) return
  const called = isObject(piece['function']) ? piece['function'] : {}
  const id = typeof piece['id'] === 'string' ? piece['id'] : ''
  const name = typeof called['name'] === 'string' ? called['name'] : ''
  const index = typeof piece['index'] === 'number' ? piece['index'] : undefined
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

/** A `fetch` that remembers whether the last stream it gave came to `[DONE]`, which the client does not tell. */
export function watched(connect: typeof fetch): { connect: typeof fetch; ended: () => boolean } {
  let tail = ''
  return {
    ended: () => tail.includes('[DONE]'),
    connect: async (input, init) => {
      const response = await connect(input, init)
      const decoder = new TextDecoder()
      const watch = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          tail = (tail + decoder.decode(chunk.slice(-TAIL_BYTES))).slice(-TAIL_BYTES)
          controller.enqueue(chunk)
        },
      })
      return new Response(response.body?.pipeThrough(watch) ?? null, response)
    },
  }
}

const TAIL_BYTES = 64
