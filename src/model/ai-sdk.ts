import { isObject, toJson } from '../core/event/json.ts'
import { MODEL_DEADLINE_MS } from '../limits.ts'
import { identified, readArguments, usageOf } from './calls.ts'
import { messagesFor, toolsFor } from './chat.ts'
import { connectionFault, modelFault, statusFault, Unusable } from './faults.ts'
import type { Model, ModelAnswer, ModelRequest } from './model.ts'

/** As much of a language model of the AI SDK as is needed, of any version of its specification. */
export interface AiModel {
  readonly specificationVersion: string
  readonly provider: string
  readonly modelId: string
  doGenerate(options: never): PromiseLike<unknown>
  doStream(options: never): PromiseLike<unknown>
}

export interface AiModelOptions {
  readonly maxTokens?: number
  readonly temperature?: number
  readonly seed?: number
  /** For one answer, in milliseconds. */
  readonly deadlineMs?: number
}

/** Any model of the AI SDK as one of Twotrack's: with it every provider of the SDK can drive an agent. */
export function aiModel(model: AiModel, options: AiModelOptions = {}): Model {
  const { maxTokens: maxOutputTokens, deadlineMs = MODEL_DEADLINE_MS, ...sampling } = options
  return {
    name: model.modelId,
    format: 'chat/1',
    async answer(request, signal) {
      const deadline = AbortSignal.timeout(deadlineMs)
      const abortSignal = AbortSignal.any([signal, deadline])
      const asked = { ...sampling, maxOutputTokens, ...askedOf(request), abortSignal }
      try {
        return answerIn(await model.doGenerate(asked as never), request) // of the specification's own kind
      } catch (thrown) {
        signal.throwIfAborted()
        const { fault, message } = faultIn(deadline.aborted ? deadline.reason : thrown, deadlineMs)
        throw modelFault(fault, `The model ${model.modelId} of ${model.provider} ${message}`)
      }
    },
  }
}

/** The messages of `chat/1`, which is what is recorded, in the words of the AI SDK. */
function askedOf(request: ModelRequest) {
  const names = new Map<string, string>()
  const prompt = messagesFor(request).map(({ role, content, tool_calls = [], tool_call_id = '' }) => {
    if (role === 'system') return { role, content }
    if (role === 'tool') {
      const result = {
        type: 'tool-result',
        toolCallId: tool_call_id,
        toolName: names.get(tool_call_id) ?? '',
      }
      return { role, content: [{ ...result, output: { type: 'text', value: content } }] }
    }
    const calls = tool_calls.map(({ id, function: called }) => {
      names.set(id, called.name)
      const input = readArguments(called.arguments)
      return { type: 'tool-call', toolCallId: id, toolName: called.name, input }
    })
    return { role, content: [...(content === '' ? [] : [{ type: 'text', text: content }]), ...calls] }
  })
  const tools = toolsFor(request.tools).flatMap(({ function: declared }) =>
    isObject(declared)
      ? [
          {
            type: 'function',
            name: declared['name'],
            description: declared['description'],
            inputSchema: declared['parameters'],
          },
        ]
      : [],
  )
  if (tools.length === 0) return { prompt }
  return { prompt, tools, toolChoice: { type: request.callRequired ? 'required' : 'auto' } }
}

function answerIn(answer: unknown, { prompt }: ModelRequest): ModelAnswer {
  const { content, ...end } = isObject(answer) ? answer : {}
  if (!Array.isArray(content)) throw new Unusable('bad_answer', true, 'gave an answer without content.')
  const { calls, ...rest } = readParts(content, end)
  return { ...rest, calls: identified(calls, prompt.packet.turn) }
}

/** What the parts of an answer come to, with how it ended. What a server called itself is not for anybody to run. */
export function readParts(content: readonly unknown[], { usage, finishReason }: Record<string, unknown>) {
  const parts = content.filter(isObject)
  const calls = parts.flatMap(({ type, toolCallId: id, toolName: tool, input, providerExecuted }) =>
    type === 'tool-call' && providerExecuted !== true && typeof tool === 'string'
      ? [{ id: typeof id === 'string' ? id : '', tool, args: readArguments(input) }]
      : [],
  )
  const { inputTokens, outputTokens } = isObject(usage) ? usage : {}
  const finish = isObject(finishReason) ? finishReason['unified'] : finishReason
  return {
    text: parts.map(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : '')).join(''),
    calls,
    ...usageOf(totalOf(inputTokens), totalOf(outputTokens)),
    ...(typeof finish === 'string' ? { finish } : {}),
    completion: JSON.stringify(toJson(content)),
  }
}

const totalOf = (count: unknown): unknown => (isObject(count) ? count['total'] : count)

/** The SDK's own errors carry what the server answered; their requests, which may hold a key, are not kept. */
function faultIn(thrown: unknown, deadlineMs: number): Unusable {
  if (thrown instanceof Unusable) return thrown
  const { statusCode, responseHeaders, responseBody } = isObject(thrown) ? thrown : {}
  if (typeof statusCode !== 'number') return connectionFault(thrown, false, deadlineMs)
  const pairs = isObject(responseHeaders) ? Object.entries(responseHeaders) : []
  const headers = new Headers(pairs.filter((pair): pair is [string, string] => typeof pair[1] === 'string'))
  return statusFault(statusCode, headers, typeof responseBody === 'string' ? responseBody : '', Date.now())
}
