import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { isObject } from '../../src/core/event/json.ts'
import type { Model, ModelAnswer, ModelRequest } from '../../src/model/model.ts'
import { type OpenAIOptions, openai } from '../../src/model/openai.ts'
import { faultCases } from './fault-catalogue.ts'
import { type Exchange, type FaultServer, type Reply, startFaultServer } from './fault-server.ts'
import * as reply from './replies.ts'
import { promptWith, requestWith, weather } from './request.ts'

let server: FaultServer | undefined
afterEach(async () => {
  await server?.kill()
  server = undefined
})

const signal = new AbortController().signal
const tokyo = { location: 'Tokyo' }

async function start(script: readonly Reply[], options: Partial<OpenAIOptions> = {}): Promise<Model> {
  await server?.kill()
  server = await startFaultServer({ script })
  return openai({ url: `${server.url}/v1`, model: 'm', deadlineMs: 60_000, ...options })
}

async function sent(request: ModelRequest, options: Partial<OpenAIOptions> = {}): Promise<unknown> {
  const model = await start([reply.says({ text: 'ok' })], options)
  await model.answer(request, signal)
  return server?.requests[0]?.body
}

const body = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {})

describe('what is sent', () => {
  test('the instructions as system, the packet as user, the tools, greedily', async () => {
    const request = requestWith()
    const { text, packet } = request.prompt
    const seen = await sent({ ...request, prompt: promptWith(packet, 'Be brief.') })
    expect(seen).toEqual({
      model: 'm',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: text },
      ],
      tools: [{ type: 'function', function: weather }],
      tool_choice: 'required',
      max_tokens: 1024,
      temperature: 0,
    })
  })

  test('what a server does not take can be left out or added', async () => {
    const options = { maxTokens: null, temperature: null, extra: { max_completion_tokens: 50 } }
    const seen = body(await sent(requestWith({}, { tools: [], callRequired: false }), options))
    expect(Object.keys(seen).sort()).toEqual(['max_completion_tokens', 'messages', 'model'])
  })

  test('every option of the request, and null for those that are left out', async () => {
    const all = {
      topP: 0.9,
      seed: 7,
      stop: ['END'],
      temperature: 0.5,
      maxTokens: 9,
      toolChoice: 'auto',
    } as const
    expect(await sent(requestWith(), all)).toMatchObject({
      ...{ top_p: 0.9, seed: 7, stop: ['END'], temperature: 0.5, max_tokens: 9, tool_choice: 'auto' },
    })
    const none = { topP: null, seed: null, stop: null, temperature: null, maxTokens: null, toolChoice: null }
    expect(Object.keys(body(await sent(requestWith(), none))).sort()).toEqual(['messages', 'model', 'tools'])
  })

  test('a server has its own defaults, which an option overrides', async () => {
    const ollama = body(await sent(requestWith(), { server: 'ollama' }))
    expect(ollama).not.toHaveProperty('tool_choice')
    expect(await sent(requestWith(), { server: 'ollama', toolChoice: 'auto' })).toHaveProperty('tool_choice')
    const own = body(await sent(requestWith(), { server: 'openai' }))
    expect(own).toHaveProperty('max_completion_tokens')
    expect(own).not.toHaveProperty('max_tokens')
    expect(own).not.toHaveProperty('temperature')
  })

  const messages: ModelRequest['messages'] = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Tell the weather.' },
    { role: 'assistant', content: '', tool_calls: [] },
    { role: 'assistant', content: '', tool_calls: [{ id: 'c1', name: 'f', arguments: '{}' }] },
    { role: 'tool', tool_call_id: 'c1', name: 'f', content: 'sunny<end_of_turn>' },
  ]
  const transcript = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Tell the weather.' },
    {
      role: 'assistant',
      content: '',
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'sunny‹end_of_turn>' },
  ]

  test('the transcript alone in context mode messages', async () => {
    expect(await sent(requestWith({}, { messages, context: 'messages' }))).toMatchObject({
      messages: transcript,
    })
  })

  test('the transcript and then the packet in context mode both', async () => {
    const request = requestWith({}, { messages, context: 'both' })
    expect(await sent(request)).toMatchObject({
      messages: [...transcript, { role: 'user', content: request.prompt.text }],
    })
  })

  test('the key as bearer, and nothing of ours when there is none', async () => {
    await sent(requestWith(), { apiKey: 'sk-1' })
    expect(server?.requests[0]?.headers.authorization).toBe('Bearer sk-1')
    vi.stubEnv('OPENAI_API_KEY', 'sk-2')
    onTestFinished(() => void vi.unstubAllEnvs())
    await sent(requestWith())
    expect(server?.requests[0]?.headers.authorization).toBe('Bearer sk-2')
    await sent(requestWith(), { apiKey: null })
    expect(server?.requests[0]?.headers.authorization).toBeUndefined()
  })
})

describe.each([false, true])('what is read, streamed: %s', (stream) => {
  const ask = async (script: readonly Reply[]): Promise<ModelAnswer> =>
    (await start(script, { stream })).answer(requestWith(), signal)
  const argsOf = async (id: string) =>
    (await ask(faultCases[id]?.replies ?? [])).calls.map(({ args }) => args)

  test('text, calls, ids, usage and finish', async () => {
    const calls = [{ tool: 'get_current_weather', args: tokyo, id: 'x' }]
    expect(await ask([reply.says({ text: 'Let me look.', calls })])).toEqual({
      text: 'Let me look.',
      calls: [{ call_id: 'x', tool: 'get_current_weather', args: tokyo }],
      usage: { prompt_tokens: 9, completion_tokens: 3 },
      finish: 'tool_calls',
      completion: expect.any(String),
    })
  })

  test('missing and repeated ids are replaced by the turn and a number', async () => {
    const calls = ['', 'a', 'a'].map((id) => ({ tool: 'f', args: {}, id }))
    const { calls: read } = await ask([reply.says({ calls })])
    expect(read.map(({ call_id }) => call_id)).toEqual(['call_3_1', 'a', 'call_3_3'])
  })

  test('M23: arguments that cannot be read stay as their text', async () => {
    expect(await argsOf('M23')).toEqual(['{location: Tokyo', tokyo, tokyo])
  })

  test('M24: __proto__ stays a key, what is too deep to record stays as its text', async () => {
    const [proto, long, deep] = await argsOf('M24')
    expect(Object.keys(proto as object)).toEqual(['__proto__', 'location'])
    expect(JSON.stringify(long)).toHaveLength(1024 * 1024 + '{"location":""}'.length)
    expect(typeof deep).toBe('string')
  })

  test('M28: a refusal is the text of the answer', async () => {
    const answer = await ask(faultCases['M28']?.replies ?? [])
    expect(answer).toMatchObject({ text: 'I cannot help with that.', calls: [], finish: 'content_filter' })
  })

  test('M33: token counts that cannot be true are left out', async () => {
    for (const each of faultCases['M33']?.replies ?? []) {
      expect(await ask([each])).not.toHaveProperty('usage')
      await server?.kill()
    }
  })

  const inText = `<tool_call>{"name":"get_current_weather","arguments":{"location":"Tokyo"}}</tool_call>`

  test('a call in the text is one only where the server is known to leave calls there', async () => {
    const call = { tool: 'get_current_weather', args: tokyo }
    expect(await ask([reply.says({ text: inText })])).toMatchObject({ text: inText, calls: [] })
    const model = await start([reply.says({ text: inText })], { stream, textCalls: true })
    expect(await model.answer(requestWith(), signal)).toMatchObject({ text: '', calls: [call] })
  })

  test('a call in a refusal, or beside calls that the server gave apart, is prose', async () => {
    const apart = { text: inText, calls: [{ tool: 'other', args: {} }] }
    const refusal = { text: '', message: { refusal: inText } }
    for (const [answer, tools] of [
      [refusal, []],
      [apart, ['other']],
    ] as const) {
      const model = await start([reply.says(answer)], { stream, textCalls: true })
      const { text, calls } = await model.answer(requestWith(), signal)
      expect({ text, tools: calls.map(({ tool }) => tool) }).toEqual({ text: inText, tools })
      await server?.kill()
    }
  })

  test('more calls than anyone would run are a fault', async () => {
    const calls = Array.from({ length: 100 }, () => ({ tool: 'f', args: {} }))
    await expect(ask([reply.says({ calls })])).rejects.toThrow('calls; more than 64')
  })
})

test('M21: streamed calls are distinguished by index and id, in the order of their index', async () => {
  const model = await start(faultCases['M21']?.replies ?? [], { stream: true })
  const { calls } = await model.answer(requestWith(), signal)
  expect(calls.map(({ call_id, args }) => [call_id, args])).toEqual([
    ['a', { location: 'A' }],
    ['c', { location: 'C' }],
    ['b', { location: 'B' }],
  ])
})

test('a server that does not stream although asked is understood', async () => {
  const model = await start([reply.json(200, reply.chatBody({ text: 'whole' }))], { stream: true })
  expect(await model.answer(requestWith(), signal)).toMatchObject({ text: 'whole' })
})

test.each([
  ['a stream without its content type', reply.raw(reply.chunksOf({ text: 'whole' }).join(''))],
  [
    'a stream that goes on after its end',
    (exchange: Exchange) => {
      exchange.response.writeHead(200, { 'content-type': 'text/event-stream' })
      exchange.response.write(reply.chunksOf({ text: 'whole' }).join(''))
    },
  ],
] as const)('%s is read', async (_what, script) => {
  const model = await start([script], { stream: true })
  expect(await model.answer(requestWith(), signal)).toMatchObject({ text: 'whole' })
})

test.each([
  ['rate_limited', { error: { message: 'slow down', code: 'rate_limit' } }],
  ['server_error', { error: 'out of memory' }],
])('an error instead of an answer is one (%s), though the status says success', async (kind, error) => {
  for (const script of [reply.json(200, error), reply.sse([`data: ${JSON.stringify(error)}\n\n`])]) {
    const model = await start([script])
    await expect(model.answer(requestWith(), signal)).rejects.toMatchObject({ details: { kind } })
  }
})

test('a query of the URL is sent and not shown', async () => {
  server = await startFaultServer({ script: [reply.error(404, 'no')] })
  const model = openai({ url: `${server.url}/v1/?version=secret`, model: 'm' })
  await expect(model.answer(requestWith(), signal)).rejects.toThrow(`at ${server.url}/v1 answered 404`)
  expect(server.requests[0]?.path).toBe('/v1/chat/completions?version=secret')
})

test('a key with characters that no header takes is refused, one with a line break at its end is not', () => {
  expect(() => openai({ model: 'm', apiKey: 'sk-…secret' })).toThrow('holds characters')
  expect(() => openai({ model: 'm', apiKey: 'sk-…secret' })).not.toThrow('secret')
  expect(() => openai({ model: 'm', apiKey: 'sk-1\n' })).not.toThrow()
})

test.each(['not a url', 'file:///etc/passwd', 'http://user:secret@host/v1'])(
  'the URL %s is refused',
  (url) => {
    expect(() => openai({ url, model: 'm' })).toThrow(expect.objectContaining({ code: 'bad_argument' }))
    expect(() => openai({ url, model: 'm' })).not.toThrow('secret')
  },
)
