import OpenAI from 'openai'
import { type JsonObject, tryParse } from '../event/json.ts'
import { MODEL_ANSWER_TOKENS_DEFAULT, MODEL_DEADLINE_MS } from '../limits.ts'
import { attempt, endpointOf } from './endpoint.ts'
import { NoCompletion } from './faults.ts'
import type { Model, ModelRequest } from './model.ts'
import { messagesFor, toolsFor } from './openai/messages.ts'
import { answerOf, type Parts, partsOf } from './openai/read.ts'
import { gather, watched } from './openai/stream.ts'

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
  /** Further fields of the request, for what one server needs. */
  readonly extra?: JsonObject
}

const OPENAI_URL = 'https://api.openai.com/v1'

/** Any OpenAI-compatible chat endpoint, with tools. */
export function openai(options: OpenAIOptions): Model {
  const apiKey = options.apiKey ?? process.env['OPENAI_API_KEY']
  const endpoint = endpointOf(
    options.url ?? process.env['OPENAI_BASE_URL'] ?? OPENAI_URL,
    options.deadlineMs ?? MODEL_DEADLINE_MS,
    apiKey,
  )
  return {
    name: options.model,
    format: 'chat/1',
    answer: (request, signal) =>
      attempt(endpoint, signal, async (connect, until) => {
        const body = bodyOf(options, request)
        const parts = await (options.stream ? streamed : whole)(clientFor, connect, body, until)
        // The client ends a stream quietly when it is aborted.
        until.throwIfAborted()
        const names = request.tools.map(({ name }) => name)
        return answerOf(parts, request.prompt.packet.turn, names)
      }),
  }

  function clientFor(connect: typeof fetch): OpenAI {
    return new OpenAI({
      baseURL: endpoint.url,
      // The client does not start without one; servers that need none ignore it.
      apiKey: apiKey || 'none',
      organization: null,
      project: null,
      // A second guard: the attempt's own deadline comes first, and covers the body too.
      timeout: 2 * endpoint.deadlineMs,
      maxRetries: 0,
      logLevel: 'off',
      fetch: connect,
    })
  }
}

type ClientFor = (connect: typeof fetch) => OpenAI
type Body = OpenAI.ChatCompletionCreateParamsNonStreaming

function bodyOf(options: OpenAIOptions, request: ModelRequest): Body {
  const { maxTokens = MODEL_ANSWER_TOKENS_DEFAULT, temperature = 0, toolChoice } = options
  const tools = toolsFor(request.tools)
  return {
    model: options.model,
    messages: messagesFor(request),
    ...(tools.length === 0
      ? {}
      : { tools, tool_choice: request.callRequired ? (toolChoice ?? 'required') : ('auto' as const) }),
    ...(maxTokens === null ? {} : { max_tokens: maxTokens }),
    ...(temperature === null ? {} : { temperature }),
    ...options.extra,
  }
}

/** The client's own reading of the body is left aside: it hands HTML on as if it were an answer. */
async function whole(
  clientFor: ClientFor,
  connect: typeof fetch,
  body: Body,
  signal: AbortSignal,
): Promise<Parts> {
  const response = await clientFor(connect).chat.completions.create(body, { signal }).asResponse()
  return partsIn(await response.text())
}

async function streamed(
  clientFor: ClientFor,
  connect: typeof fetch,
  body: Body,
  signal: AbortSignal,
): Promise<Parts> {
  const watch = watched(connect)
  const asked = clientFor(watch.connect).chat.completions.create(
    { ...body, stream: true, stream_options: { include_usage: true } },
    { signal },
  )
  const response = await asked.asResponse()
  // A server that cannot stream answers whole, or with a page that says why.
  const type = response.headers.get('content-type') ?? ''
  if (/json|html/.test(type)) return partsIn(await response.text())
  return gather(await asked, watch.ended)
}

function partsIn(text: string): Parts {
  const body = tryParse(text)
  if (body === undefined) throw new NoCompletion(text)
  return partsOf(body)
}
