import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { isObject, type JsonObject } from '../../src/core/event/json.ts'
import { renderCall } from '../../src/model/functiongemma/prompt.ts'
import type { Exchange, Reply } from './fault-server.ts'

/** What a model says, for whichever API asks. Arguments given as text are sent as they are. */
export interface ScriptedAnswer {
  readonly text?: string
  readonly calls?: readonly { tool: string; args: JsonObject | string; id?: string }[]
  readonly finish?: string | null
  readonly usage?: unknown
  readonly model?: string
  /** Further fields of the message, such as `refusal`. */
  readonly message?: JsonObject
  readonly choices?: number
}

/** A whole, correct answer in the API that was asked: chat, streamed chat, completions or Ollama's. */
export function says(answer: ScriptedAnswer): Reply {
  return (exchange) => {
    const { path, body } = exchange
    if (path.endsWith('/chat/completions')) {
      if (isObject(body) && body['stream'] === true) return sse(chunksOf(answer))(exchange)
      return json(200, chatBody(answer))(exchange)
    }
    const text = (answer.text ?? '') + (answer.calls ?? []).map(gemmaCall).join('')
    const [finish, usage] = [finishOf(answer), answer.usage ?? { prompt_tokens: 9, completion_tokens: 3 }]
    if (path.endsWith('/api/generate') && answer.choices === 0) return json(200, { done: true })(exchange)
    if (path.endsWith('/api/generate')) {
      return json(200, {
        response: text,
        done: true,
        done_reason: finish,
        prompt_eval_count: 9,
        eval_count: 3,
      })(exchange)
    }
    const choices = Array.from({ length: answer.choices ?? 1 }, (_, index) => ({
      index,
      text,
      finish_reason: finish,
    }))
    return json(200, { object: 'text_completion', model: answer.model ?? 'm', choices, usage })(exchange)
  }
}

const gemmaCall = ({ tool, args }: { tool: string; args: JsonObject | string }) =>
  typeof args === 'string'
    ? `<start_function_call>call:${tool}${args}<end_function_call>`
    : renderCall(tool, args)

const finishOf = (answer: ScriptedAnswer) =>
  answer.finish === undefined ? (answer.calls ? 'tool_calls' : 'stop') : answer.finish

export function chatBody(answer: ScriptedAnswer) {
  const tool_calls = answer.calls?.map(({ tool, args, id }, index) => ({
    id: id ?? `id-${index}`,
    type: 'function',
    function: { name: tool, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
  }))
  const message = { role: 'assistant', content: answer.text ?? null, ...(tool_calls ? { tool_calls } : {}) }
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    model: answer.model ?? 'm',
    choices: Array.from({ length: answer.choices ?? 1 }, (_, index) => ({
      index,
      message: { ...message, ...answer.message },
      finish_reason: finishOf(answer),
    })),
    usage: 'usage' in answer ? answer.usage : { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 },
  }
}

export const chunk = (delta: object, finish: string | null = null) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish }],
})

const inPieces = (text: string, chars: number): string[] =>
  Array.from({ length: Math.ceil(text.length / chars) }, (_, at) => text.slice(at * chars, (at + 1) * chars))

/** The answer in pieces of a few characters, as servers stream it, and `[DONE]`. */
export function chunksOf(answer: ScriptedAnswer): string[] {
  const calls = answer.calls ?? []
  const pieces = calls.flatMap(({ tool, args, id }, index) => {
    const text = typeof args === 'string' ? args : JSON.stringify(args)
    const head = { index, id: id ?? `id-${index}`, type: 'function', function: { name: tool, arguments: '' } }
    return [head, ...inPieces(text, 4096).map((part) => ({ index, function: { arguments: part } }))]
  })
  const chunks = [
    chunk({ role: 'assistant', content: '' }),
    ...inPieces(answer.text ?? '', 7).map((content) => chunk({ content })),
    ...(answer.message ? [chunk(answer.message)] : []),
    ...pieces.map((piece) => chunk({ tool_calls: [piece] })),
    chunk({}, finishOf(answer)),
    { choices: [], usage: 'usage' in answer ? answer.usage : { prompt_tokens: 9, completion_tokens: 3 } },
  ]
  const shown = answer.choices === 0 ? [{ choices: [], usage: null }] : chunks
  return [...shown.map((part) => `data: ${JSON.stringify(part)}\n\n`), 'data: [DONE]\n\n']
}

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Reply =>
  ({ response }) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }

/** An error as OpenAI-compatible servers word it. */
export const error = (
  status: number,
  message: string,
  headers: Record<string, string> = {},
  code = 'code',
): Reply => json(status, { error: { message, type: 'error', code } }, headers)

export const raw =
  (body: string | Uint8Array, headers: Record<string, string> = {}, status = 200): Reply =>
  ({ response }) => {
    response.writeHead(status, headers).end(body)
  }

/** Server-sent events, byte for byte as given, then the end of the stream. */
export const sse =
  (parts: readonly (string | Uint8Array)[]): Reply =>
  ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const part of parts) response.write(part)
    response.end()
  }

/** Sends so much of a stream, then breaks the connection. */
export const cut =
  (parts: readonly (string | Uint8Array)[]): Reply =>
  async ({ response, socket }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const part of parts) await new Promise((resolve) => response.write(part, resolve))
    // Not a reset: that could overtake what was sent before it.
    socket.destroy()
  }

export const reset: Reply = ({ socket }) => {
  socket.resetAndDestroy()
}

/** Takes the request and never answers. */
export const silence: Reply = () => {}

/** One byte at a time, slower than any deadline. */
export const drip: Reply = async ({ response }) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  for (const byte of JSON.stringify(chatBody({ text: 'slow' }))) {
    if (response.destroyed) return
    response.write(byte)
    await sleep(50)
  }
}

/** So many bytes of an answer that never becomes one, for as long as someone reads. */
export const flood =
  (bytes: number): Reply =>
  async ({ response }) => {
    const piece = 'a'.repeat(1024 * 1024)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('{"choices":[{"text":"x","message":{"role":"assistant","content":"')
    const closed = new Promise<void>((resolve) => response.once('close', () => resolve()))
    for (let sent = 0; sent < bytes && !response.destroyed; sent += piece.length) {
      await Promise.race([closed, new Promise<void>((resolve) => response.write(piece, () => resolve()))])
    }
    response.end('"}}]}')
  }

/** About 1 MB on the wire, 1 GB once decompressed. */
export const bomb: Reply = ({ response }) => {
  const member = gzipSync(Buffer.alloc(16 * 1024 * 1024, 32))
  response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
  for (let i = 0; i < 64; i++) response.write(member)
  response.end()
}

export const redirect =
  (location: string | ((exchange: Exchange) => string)): Reply =>
  (exchange) => {
    const to = typeof location === 'string' ? location : location(exchange)
    exchange.response.writeHead(307, { location: to }).end()
  }
