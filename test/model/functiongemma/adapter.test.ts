import { afterEach, expect, test } from 'vitest'
import { renderCall, renderRequest } from '../../../src/model/functiongemma/prompt.ts'
import { type FunctionGemmaOptions, functiongemma } from '../../../src/model/functiongemma.ts'
import { type FaultServer, type Reply, startFaultServer } from '../fault-server.ts'
import * as reply from '../replies.ts'
import { requestWith } from '../request.ts'

let server: FaultServer | undefined
afterEach(async () => {
  await server?.kill()
  server = undefined
})

const signal = new AbortController().signal
const code = 'def f(a):\n    return {"a": [a, "}"]}\n'
const calls = [
  { tool: 'write_file', args: { content: code, overwrite: true, lines: [1, 2.5], meta: { a: null } } },
  { tool: 'run_tests', args: {} },
]

async function ask(script: readonly Reply[], options: Partial<FunctionGemmaOptions> = {}, path = '') {
  server = await startFaultServer({ script })
  const model = functiongemma({ url: server.url + path, deadlineMs: 60_000, ...options })
  return model.answer(requestWith(), signal)
}

test.each(['', '/v1', '/v1/'])('a completions endpoint is asked greedily, given as "%s"', async (path) => {
  const answer = await ask([reply.says({ calls })], { model: 'functiongemma-270m' }, path)
  const { prompt, tools } = requestWith()
  expect(server?.requests[0]).toMatchObject({
    path: '/v1/completions',
    body: {
      model: 'functiongemma-270m',
      prompt: renderRequest({ prompt, tools }),
      temperature: 0,
      max_tokens: 1024,
      stop: ['<end_of_turn>', '<start_function_response>'],
      stream: false,
      skip_special_tokens: false,
      preserved_tokens: expect.arrayContaining(['<start_function_call>', '<escape>']),
    },
  })
  expect(answer).toEqual({
    text: '',
    calls: calls.map((call, index) => ({ call_id: `call_3_${index + 1}`, ...call })),
    usage: { prompt_tokens: 9, completion_tokens: 3 },
    finish: 'tool_calls',
    completion: calls.map(({ tool, args }) => renderCall(tool, args)).join(''),
  })
})

test('Ollama is asked in raw mode', async () => {
  const answer = await ask([reply.says({ calls })], {
    server: 'ollama',
    model: 'functiongemma',
    maxTokens: 64,
    temperature: null,
    ...{ topP: 0.5, seed: 7, stop: ['END'] },
  })
  expect(server?.requests[0]).toMatchObject({
    path: '/api/generate',
    body: {
      ...{ model: 'functiongemma', raw: true, stream: false },
      options: {
        ...{ num_predict: 64, top_p: 0.5, seed: 7 },
        stop: ['<end_of_turn>', '<start_function_response>', 'END'],
      },
    },
  })
  expect(server?.requests[0]?.body).not.toHaveProperty('options.temperature')
  expect(answer.calls.map(({ args }) => args)).toEqual(calls.map(({ args }) => args))
  expect(answer.usage).toEqual({ prompt_tokens: 9, completion_tokens: 3 })
})

test('the key is sent only when there is one', async () => {
  await ask([reply.says({ text: 'ok' })], { apiKey: 'sk-1' })
  expect(server?.requests[0]?.headers.authorization).toBe('Bearer sk-1')
  await server?.kill()
  await ask([reply.says({ text: 'ok' })])
  expect(server?.requests[0]?.headers.authorization).toBeUndefined()
})

test('a call that cannot be read goes on with its text as arguments', async () => {
  const text = '<start_function_call>call:write_file{content:,}<end_function_call>'
  const answer = await ask([reply.says({ text })])
  expect(answer.calls).toEqual([
    { call_id: 'call_3_1', tool: 'write_file', args: 'call:write_file{content:,}' },
  ])
})

test('an answer cut off inside a call is a fault, worth a retry unless the limit of tokens cut it', async () => {
  const text = '<start_function_call>call:write_file{content:<escape>def'
  const cut = (finish: string) => ask([reply.says({ text, finish })])
  await expect(cut('stop')).rejects.toMatchObject({ details: { kind: 'truncated', retry: true } })
  await server?.kill()
  await expect(cut('length')).rejects.toMatchObject({ details: { kind: 'truncated', retry: false } })
})

test('a server that hides special tokens is named as the cause', async () => {
  const hidden = ask([reply.says({ text: 'call:write_file{content:a, b}' })])
  await expect(hidden).rejects.toThrow('--special for llama-server')
})
