import type { JsonObject } from '../event/json.ts'
import { MODEL_ANSWER_TOKENS_DEFAULT, MODEL_DEADLINE_MS } from '../limits.ts'
import { ask, type Body, endpointOf } from './http.ts'
import type { Model, ModelRequest } from './model.ts'
import { messagesFor, toolsFor } from './openai/messages.ts'
import { answerOf, type Parts, partsOf } from './openai/read.ts'
import { gather } from './openai/stream.ts'
import { eventData } from './sse.ts'

export interface OpenAIOptions {
  /** Of the API, with its version: `http://127.0.0.1:8080/v1`. `OPENAI_BASE_URL`, or else OpenAI's own, by default. */
  readonly url?: string
  readonly model: string
  /** `OPENAI_API_KEY` by default; local servers need none. */
  readonly apiKey?: string
  readonly deadlineMs?: number
  /** Null leaves the choice to the server. */
  readonly maxTokens?: number | null
  /** Null leaves the choice to the server; some models refuse any other. */
  readonly temperature?: number | null
  readonly stream?: boolean
  /** `auto` for servers that do not know `required`. */
  readonly toolChoice?: 'required' | 'auto'
  /** For servers that leave calls in the text: an answer that is nothing but calls of declared tools counts as calls. */
  readonly textCalls?: boolean
  /** Further fields of the request, for what one server needs. */
  readonly extra?: JsonObject
}

const OPENAI_URL = 'https://api.openai.com/v1'

/** Any OpenAI-compatible chat endpoint, with tools. */
export function openai(options: OpenAIOptions): Model {
  const endpoint = endpointOf(
    options.url ?? process.env['OPENAI_BASE_URL'] ?? OPENAI_URL,
    options.deadlineMs ?? MODEL_DEADLINE_MS,
    options.apiKey ?? process.env['OPENAI_API_KEY'],
  )
  return {
    name: options.model,
    format: 'chat/1',
    answer: (request, signal) =>
      ask(endpoint, { path: '/chat/completions', body: bodyOf(options, request) }, signal, async (body) => {
        const names = options.textCalls ? request.tools.map(({ name }) => name) : []
        return answerOf(await partsIn(body), request.prompt.packet.turn, names)
      }),
  }
}

function bodyOf(options: OpenAIOptions, request: ModelRequest): JsonObject {
  const { maxTokens = MODEL_ANSWER_TOKENS_DEFAULT, temperature = 0, toolChoice = 'required' } = options
  const tools = toolsFor(request.tools)
  return {
    model: options.model,
    messages: messagesFor(request),
    ...(tools.length === 0 ? {} : { tools, tool_choice: request.callRequired ? toolChoice : 'auto' }),
    ...(maxTokens === null ? {} : { max_tokens: maxTokens }),
    ...(temperature === null ? {} : { temperature }),
    ...(options.stream ? { stream: true, stream_options: { include_usage: true } } : {}),
    ...options.extra,
  }
}

/** What came decides, not what was asked for: some servers answer whole though asked to stream. */
async function partsIn(body: Body): Promise<Parts> {
  if (body.type.includes('event-stream')) return gather(body.events())
  const text = await body.text()
  return /^(data|event|id|retry)?:/.test(text) ? gather(eventData(inOneChunk(text))) : partsOf(text)
}

async function* inOneChunk(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
