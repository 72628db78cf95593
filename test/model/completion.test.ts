import { afterEach, describe, expect, test } from 'vitest'
import { modelFaultOf } from '../../src/model/faults.ts'
import { functiongemma } from '../../src/model/functiongemma.ts'
import type { Model } from '../../src/model/model.ts'
import { openai } from '../../src/model/openai.ts'
import { type FaultServer, type Reply, startFaultServer } from './fault-server.ts'
import * as reply from './replies.ts'
import { requestWith } from './request.ts'

const KEY = 'sk-not-to-be-seen-0123456789'
const calls = [{ tool: 'get_current_weather', args: { location: 'Tokyo' } }]

let server: FaultServer | undefined
afterEach(async () => {
  await server?.kill()
  server = undefined
})

const chat = (url: string) => openai({ url: `${url}/v1`, model: 'm', apiKey: KEY, deadlineMs: 60_000 })
const streamed = (url: string) =>
  openai({ url: `${url}/v1`, model: 'm', apiKey: KEY, deadlineMs: 60_000, stream: true })
const gemma = (url: string) => functiongemma({ url, apiKey: KEY, deadlineMs: 60_000 })

async function ask(script: Reply, modelAt: (url: string) => Model) {
  server = await startFaultServer({ script: [script] })
  return modelAt(server.url).answer(requestWith(), new AbortController().signal)
}
const faultOf = async (script: Reply, modelAt: (url: string) => Model) =>
  modelFaultOf(await ask(script, modelAt).catch((thrown: unknown) => thrown))

describe('the completion is what was received, byte for byte', () => {
  test('of a chat: the body, with its white space, its order and its unknown fields', async () => {
    const body = `\uFEFF \n${JSON.stringify(reply.chatBody({ text: 'Grüße 🙂' }), null, 3)}\r\n\n`
    expect(await ask(reply.raw(body), chat)).toMatchObject({ text: 'Grüße 🙂', completion: body })
  })

  test('of a stream: its events, comments and line ends included', async () => {
    const parts = [': hello\r\n\r\n', ...reply.chunksOf({ text: 'Grüße', calls })]
    const answer = await ask(reply.sse(parts), streamed)
    expect(answer).toMatchObject({ text: 'Grüße', completion: parts.join('') })
  })

  test('of FunctionGemma: the text that the endpoint gave, with what was not read of it', async () => {
    const text = ' Well. <start_function_call>call:f{a:1}<end_function_call><end_of_turn>\n'
    expect(await ask(reply.says({ text }), gemma)).toMatchObject({ text: 'Well.', completion: text })
  })

  test('bytes that are no text stay bytes', async () => {
    const bytes = Buffer.concat([Buffer.from('{"choices":[{"message":{"content":"'), Buffer.of(0xff, 0xc3)])
    const whole = Buffer.concat([bytes, Buffer.from('"}}]}')])
    const { completion } = await ask(reply.raw(whole), chat)
    expect(completion).toBeInstanceOf(Uint8Array)
    expect(Buffer.from(completion ?? '')).toEqual(whole)
  })
})

describe('a fault holds what was received until then', () => {
  const broken = reply.chunksOf({ calls }).slice(0, 2)
  const gemmaCut = '<start_function_call>call:f{location:<escape>To'
  test.each<[string, Reply, (url: string) => Model, string, string]>([
    ['a connection that broke off', reply.cut(broken), streamed, 'truncated', broken.join('')],
    ['a page', reply.raw('<html>Login</html>'), chat, 'bad_answer', '<html>Login</html>'],
    ['JSON cut short', reply.raw('{"choices":[{"mess'), chat, 'bad_answer', '{"choices":[{"mess'],
    ['a refused request', reply.raw('{"error":"no"}', {}, 400), gemma, 'rejected', '{"error":"no"}'],
    [
      'a call cut by the limit',
      reply.says({ text: gemmaCut, finish: 'length' }),
      gemma,
      'truncated',
      gemmaCut,
    ],
    ['hidden tokens', reply.says({ text: 'call:f{a:b, c}' }), gemma, 'bad_answer', 'call:f{a:b, c}'],
  ])('%s', async (_what, script, modelAt, kind, completion) => {
    expect(await faultOf(script, modelAt)).toMatchObject({ kind, completion })
  })

  test('of too long an answer, up to the limit', async () => {
    const fault = await faultOf(reply.flood(9 * 1024 * 1024), chat)
    expect(fault).toMatchObject({ kind: 'bad_answer', retry: false })
    expect(fault?.completion).toHaveLength(8 * 1024 * 1024)
  })

  test('and nothing where nothing was received', async () => {
    expect(await faultOf(reply.reset, chat)).toEqual({ kind: 'unreachable', retry: true })
  })
})

describe('a key that a server repeats', () => {
  test.each([
    ['chat', chat],
    ['streamed, in parts of a few characters', streamed],
    ['functiongemma', gemma],
  ])('is not in the answer: %s', async (_name, modelAt) => {
    const args = { location: KEY, others: [KEY] }
    const answer = await ask(
      reply.says({ text: `Key ${KEY}.`, calls: [{ tool: 'get_current_weather', args }] }),
      modelAt,
    )
    expect(JSON.stringify(answer)).not.toContain(KEY)
    expect(answer.text).toBe('Key [key].')
    expect(answer.calls[0]?.args).toEqual({ location: '[key]', others: ['[key]'] })
    expect(answer.completion).toContain('[key]')
  })

  test('is not in what a fault holds, be it text or bytes', async () => {
    const text = await faultOf(reply.error(401, `Bad key ${KEY}`), chat)
    expect(text?.completion).toContain('Bad key [key]')
    await server?.kill()
    const bytes = Buffer.concat([Buffer.of(0xff), Buffer.from(KEY), Buffer.of(0xfe)])
    const fault = await faultOf(reply.raw(bytes), chat)
    expect(Buffer.from(fault?.completion ?? '').toString('latin1')).toBe('\xff[key]\xfe')
  })

  test('is looked for only when it is long enough to be one', async () => {
    const none = (url: string) => openai({ url: `${url}/v1`, model: 'm', apiKey: 'none' })
    expect((await ask(reply.says({ text: 'There are none.' }), none)).text).toBe('There are none.')
  })
})
