import { type JsonObject, tryParse } from '../core/event/json.ts'
import { TwotrackError } from '../errors.ts'
import { MODEL_DEADLINE_MS } from '../limits.ts'
import { noCompletion } from './faults.ts'
import { bodyFor } from './formats.ts'
import { ask, type Body, endpointOf } from './http.ts'
import type { Model, ModelRequest } from './model.ts'
import { answerOf, gather } from './openai/read.ts'
import { type Preset, requestOf, type ServerOptions, servers } from './servers.ts'
import { eventData } from './sse.ts'

/** `url` is that of the API, with its version: `http://127.0.0.1:8080/v1`. */
export interface OpenAIOptions extends ServerOptions {
  readonly model: string
  /** Sent when a call is required; otherwise it is `auto`. Null for servers that do not know it. */
  readonly toolChoice?: 'required' | 'auto' | null
  /** For servers that leave calls in the text: an answer that is nothing but calls of declared tools counts as calls. */
  readonly textCalls?: boolean
  readonly stream?: boolean
  /** Further fields of the request, for what one server needs. */
  readonly extra?: JsonObject
}

/**
 * Any OpenAI-compatible chat endpoint, with tools. Without a server and a URL it is `OPENAI_BASE_URL`, or OpenAI; the
 * key is `OPENAI_API_KEY` unless one is given.
 */
export function openai(options: OpenAIOptions): Model {
  const base = process.env['OPENAI_BASE_URL']
  const { server = options.url || base ? 'any' : 'openai' } = options
  const settings = { ...servers[server], ...options }
  const { apiKey = process.env['OPENAI_API_KEY'], deadlineMs = MODEL_DEADLINE_MS } = settings
  const endpoint = endpointOf(settings.url || base || '', deadlineMs, apiKey)
  assertBeside(settings.extra)
  const format = 'chat/1'
  const parameters = (request: ModelRequest) => parametersOf(settings, request)
  return {
    name: options.model,
    format,
    parameters,
    answer(request, signal) {
      const body = request.body ?? bodyFor(format, request, parameters(request))
      return ask(endpoint, { path: '/chat/completions', body }, signal, async (received) => {
        const names = settings.textCalls ? request.tools.map(({ name }) => name) : []
        return answerOf(await completionIn(received), request.prompt.packet.turn, names)
      })
    },
  }
}

/** What a model is given follows from the log; what is asked beside it may not take its place. */
function assertBeside(extra: JsonObject = {}): void {
  const served = ['model', 'messages', 'tools', 'functions'].filter((field) => Object.hasOwn(extra, field))
  if (served.length === 0) return
  throw new TwotrackError(
    'bad_argument',
    `model.extra has ${served.join(', ')}, which the request holds already: the messages and tools that the log says. ` +
      'Leave it out; model.name names the model.',
  )
}

function parametersOf(settings: OpenAIOptions & Preset, request: ModelRequest): JsonObject {
  const { stop, toolChoice, stream } = settings
  const choice = toolChoice === null || request.callRequired ? toolChoice : 'auto'
  return requestOf({
    model: settings.model,
    ...(request.tools.length === 0 ? {} : { tool_choice: choice }),
    [settings.limitField]: settings.maxTokens,
    temperature: settings.temperature,
    top_p: settings.topP,
    seed: settings.seed,
    stop: stop && [...stop],
    ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
    ...settings.extra,
  })
}

/** What came decides, not what was asked for: some servers answer whole though asked to stream. */
async function completionIn(body: Body): Promise<unknown> {
  if (body.type.includes('event-stream')) return gather(body.events())
  const text = await body.text()
  if (/^(data|event|id|retry)?:/.test(text)) return gather(eventData(inOneChunk(text)))
  const completion = tryParse(text)
  if (completion === undefined) throw noCompletion(text)
  return completion
}

async function* inOneChunk(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
