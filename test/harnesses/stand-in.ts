import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a harness is answered: a command to run, or last words. */
export type Answer = { readonly id: string; readonly command: string } | string

/** One request for a turn of the agent itself, as it came. */
export interface Asked {
  readonly body: string
  /** The number of the answer that it was given, from 0. */
  readonly turn: number
}

export interface StandIn {
  readonly url: string
  readonly asked: readonly Asked[]
  /** Requests for a summary. */
  readonly summaries: readonly string[]
  /** What to say to whom is asked next, by the number of the turn. */
  answer: (turn: number) => Answer
  /** Tokens that a request is said to have taken. */
  tokens: (turn: number) => number
  /** Resolves when this turn was asked for; it gets no answer before `go`. */
  hold(turn: number): Promise<void>
  close(): Promise<void>
}

const SUMMARY = '<analysis>x</analysis><summary>The first steps were done.</summary>'

/** A model's server for three harnesses, on loopback: it says what the test tells it to say. */
export async function standIn(): Promise<StandIn> {
  const asked: Asked[] = []
  const summaries: string[] = []
  const held = new Map<number, () => void>()
  const own = { answer: (_: number): Answer => 'Done.', tokens: (_: number) => 1_000 }
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const kind = KINDS.find(({ path }) => request.url?.startsWith(path))
      if (request.method !== 'POST' || !kind) return response.writeHead(404).end('{}')
      const isSummary = /create a detailed summary|CONTEXT CHECKPOINT COMPACTION/.test(body)
      const isTurn = !isSummary && kind.tool.test(body)
      if (!isTurn) {
        summaries.push(body)
        return kind.send(response, SUMMARY, 500)
      }
      const turn = asked.push({ body, turn: asked.length }) - 1
      const hold = held.get(turn)
      if (hold) return hold()
      return kind.send(response, own.answer(turn), own.tokens(turn))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    summaries,
    get answer() {
      return own.answer
    },
    set answer(answer) {
      own.answer = answer
    },
    get tokens() {
      return own.tokens
    },
    set tokens(tokens) {
      own.tokens = tokens
    },
    hold: (turn) => new Promise((resolve) => held.set(turn, resolve)),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

type Send = (response: ServerResponse, answer: Answer, tokens: number) => void

function stream(response: ServerResponse): (data: object | string, event?: string) => void {
  response.setHeader('content-type', 'text/event-stream')
  return (data, event) => {
    const text = typeof data === 'string' ? data : JSON.stringify(data)
    response.write(`${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`)
  }
}

const messages: Send = (response, answer, tokens) => {
  const send = stream(response)
  const event = (type: string, more: object) => send({ type, ...more }, type)
  const block =
    typeof answer === 'string'
      ? { start: { type: 'text', text: '' }, delta: { type: 'text_delta', text: answer } }
      : {
          start: { type: 'tool_use', id: answer.id, name: 'Bash', input: {} },
          delta: {
            type: 'input_json_delta',
            partial_json: JSON.stringify({ command: answer.command, description: 'a step' }),
          },
        }
  const usage = {
    input_tokens: tokens,
    output_tokens: 10,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  }
  const message = {
    id: `msg_${Math.random()}`,
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    usage,
  }
  event('message_start', { message: { ...message, stop_reason: null, stop_sequence: null } })
  event('content_block_start', { index: 0, content_block: block.start })
  event('content_block_delta', { index: 0, delta: block.delta })
  event('content_block_stop', { index: 0 })
  const stop_reason = typeof answer === 'string' ? 'end_turn' : 'tool_use'
  event('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 10 } })
  event('message_stop', {})
  response.end()
}

const responses: Send = (response, answer, tokens) => {
  const send = stream(response)
  const event = (type: string, more: object) => send({ type, ...more }, type)
  const id = `resp_${Math.random()}`
  event('response.created', { response: { id } })
  const item =
    typeof answer === 'string'
      ? {
          type: 'message',
          role: 'assistant',
          id: `m_${id}`,
          content: [{ type: 'output_text', text: answer }],
        }
      : {
          type: 'function_call',
          id: `fc_${id}`,
          call_id: answer.id,
          name: 'exec_command',
          arguments: JSON.stringify({ cmd: answer.command }),
        }
  event('response.output_item.done', { output_index: 0, item })
  const usage = {
    input_tokens: tokens,
    input_tokens_details: null,
    output_tokens: 10,
    output_tokens_details: null,
  }
  event('response.completed', { response: { id, usage: { ...usage, total_tokens: tokens + 10 } } })
  response.end()
}

const chat: Send = (response, answer, tokens) => {
  const send = stream(response)
  const chunk = (delta: object, finish_reason: string | null = null) =>
    send({
      id: 'x',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta, finish_reason }],
    })
  if (typeof answer === 'string') chunk({ role: 'assistant', content: answer })
  else {
    const given = JSON.stringify({ command: answer.command, description: 'a step' })
    const call = { index: 0, id: answer.id, type: 'function', function: { name: 'bash', arguments: given } }
    chunk({ role: 'assistant', tool_calls: [call] })
  }
  chunk({}, typeof answer === 'string' ? 'stop' : 'tool_calls')
  const usage = { prompt_tokens: tokens, completion_tokens: 10, total_tokens: tokens + 10 }
  send({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage })
  send('[DONE]')
  response.end()
}

/** How each harness asks; a request for a turn declares its shell. */
const KINDS: readonly { path: string; tool: RegExp; send: Send }[] = [
  { path: '/v1/messages', tool: /"name":"Bash"/, send: messages },
  { path: '/v1/responses', tool: /"name":"exec_command"/, send: responses },
  { path: '/v1/chat/completions', tool: /"name":"bash"/, send: chat },
]
