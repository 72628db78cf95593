import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { TwotrackError } from '../../src/errors.ts'
import { modelFaultOf } from '../../src/model/faults.ts'
import { functiongemma } from '../../src/model/functiongemma.ts'
import type { Model, ModelAnswer, ModelFault } from '../../src/model/model.ts'
import { openai } from '../../src/model/openai.ts'
import { faultCases } from './fault-catalogue.ts'
import { type FaultServer, startFaultServer } from './fault-server.ts'
import * as reply from './replies.ts'
import { requestWith } from './request.ts'
import { selfSigned } from './self-signed.ts'

const KEY = 'sk-not-to-be-seen-anywhere-0123456789'
const shared = process.env['TWOTRACK_SHARED'] ?? join(import.meta.dirname, '../../../shared')
const list = join(shared, 'corpora/modelserver/faults.json')

/** Every way to reach a server, each under a deadline that ends what would hang. */
const models: Record<string, (url: string, deadlineMs?: number) => Model> = {
  chat: (url, deadlineMs = 60_000) => openai({ url: `${url}/v1`, model: 'm', apiKey: KEY, deadlineMs }),
  'chat, streamed': (url, deadlineMs = 60_000) =>
    openai({ url: `${url}/v1`, model: 'm', apiKey: KEY, deadlineMs, stream: true }),
  functiongemma: (url, deadlineMs = 60_000) => functiongemma({ url, apiKey: KEY, deadlineMs }),
  'functiongemma on ollama': (url, deadlineMs = 60_000) =>
    functiongemma({ url, apiKey: KEY, deadlineMs, server: 'ollama' }),
}

type Outcome = { answer: ModelAnswer } | { fault: ModelFault; message: string }

/** An attempt must end in an answer or a model fault; anything else fails the test. */
async function outcomeOf(model: Model): Promise<Outcome> {
  try {
    return { answer: await model.answer(requestWith(), new AbortController().signal) }
  } catch (thrown) {
    const fault = modelFaultOf(thrown)
    if (!fault || !(thrown instanceof TwotrackError)) throw thrown
    expect(thrown.message).not.toContain(KEY)
    expect(JSON.stringify(thrown)).not.toContain(KEY)
    expect(thrown.cause).toBeUndefined()
    return { fault, message: thrown.message }
  }
}

const unhandled: unknown[] = []
const note = (reason: unknown) => unhandled.push(reason)
let server: FaultServer | undefined

beforeAll(() => {
  process.on('unhandledRejection', note)
})
afterAll(() => {
  process.off('unhandledRejection', note)
})
afterEach(async () => {
  await server?.kill()
  server = undefined
  expect(unhandled).toEqual([])
})

describe.each(Object.entries(models))('%s', (name, modelAt) => {
  const streams = name.includes('streamed')
  const cases = Object.entries(faultCases)
    .map(([id, each]) => ({ id, ...each }))
    .filter(({ streamOnly }) => streams || !streamOnly)

  test.each(cases)('$id: $fault', async ({ id, replies, outcome }) => {
    server = await startFaultServer({ script: replies })
    const hangs = id === 'M05' || id === 'M06'
    const model = modelAt(server.url, hangs ? 150 : undefined)
    const expected = id === 'M09' ? [outcome, 'answer'] : replies.map(() => outcome)
    for (const each of expected) {
      const seen = await outcomeOf(model)
      if (each === 'answer') expect(seen).toHaveProperty('answer')
      else expect(each).toContain('fault' in seen ? seen.fault.kind : seen)
    }
    // No redirect was followed, nothing was retried behind the caller's back.
    const { length } = server.requests
    // On a busy machine the deadline may pass before the request arrives.
    if (hangs) expect(length).toBeLessThanOrEqual(expected.length)
    else expect(length).toBe(expected.length)
  })

  test('M01: connection refused', async () => {
    const gone = await startFaultServer({ script: [reply.silence] })
    await gone.kill()
    const seen = await outcomeOf(modelAt(gone.url))
    expect(seen).toMatchObject({ fault: { kind: 'unreachable', retry: true } })
  })

  test('M02: no such host', async () => {
    const seen = await outcomeOf(modelAt('http://no-such-host.invalid', 3_000))
    expect(['unreachable', 'timeout']).toContain('fault' in seen && seen.fault.kind)
  })

  test('a port that fetch does not ask is told as that, not as an answer', async () => {
    const seen = await outcomeOf(modelAt('http://127.0.0.1:9'))
    expect(seen).toMatchObject({
      fault: { kind: 'unreachable', retry: false },
      message: expect.stringContaining('cannot be reached: bad port'),
    })
  })

  test('M04: a certificate that is not trusted is not worth a retry', async () => {
    server = await startFaultServer({ script: [reply.says({ text: 'hello' })], tls: selfSigned })
    const seen = await outcomeOf(modelAt(server.url))
    expect(seen).toMatchObject({ fault: { kind: 'unreachable', retry: false } })
  })

  test('M36: killed while 8 requests are in flight', async () => {
    server = await startFaultServer({ script: [reply.silence] })
    const model = modelAt(server.url)
    const asked = Promise.all(Array.from({ length: 8 }, () => outcomeOf(model)))
    await server.received(8)
    await server.kill()
    for (const seen of await asked)
      expect(seen).toMatchObject({ fault: { kind: 'unreachable', retry: true } })
  })

  test('what a server asks to wait is kept and capped', async () => {
    const asks = (value: string) => reply.error(429, 'later', { 'retry-after': value })
    server = await startFaultServer({ script: [asks('2'), asks('99999999'), asks('soon')] })
    const model = modelAt(server.url)
    expect(await outcomeOf(model)).toMatchObject({ fault: { wait_ms: 2_000 } })
    expect(await outcomeOf(model)).toMatchObject({ fault: { wait_ms: 30_000 } })
    expect(await outcomeOf(model)).not.toHaveProperty('fault.wait_ms')
  })

  test('a server that repeats the key does not bring it into a message', async () => {
    const page = reply.raw(`${'-'.repeat(280)}${KEY}`)
    server = await startFaultServer({ script: [reply.error(401, `Incorrect API key: ${KEY}`), page] })
    const model = modelAt(server.url)
    expect(await outcomeOf(model)).toMatchObject({ message: expect.stringContaining('[key]') })
    expect(await outcomeOf(model)).toMatchObject({ message: expect.not.stringContaining('sk-not') })
  })

  test("the caller's signal ends an attempt with the caller's reason", async () => {
    server = await startFaultServer({ script: [reply.silence] })
    const controller = new AbortController()
    const asked = modelAt(server.url).answer(requestWith(), controller.signal)
    await server.received(1)
    controller.abort(new Error('stopped by a person'))
    await expect(asked).rejects.toThrow('stopped by a person')
  })
})

test.skipIf(!existsSync(list))('every fault of the list is acted out', () => {
  const { faults } = JSON.parse(readFileSync(list, 'utf8')) as { faults: { id: string }[] }
  const elsewhere = ['M01', 'M02', 'M04', 'M35', 'M36']
  expect([...Object.keys(faultCases), ...elsewhere].sort()).toEqual(faults.map(({ id }) => id).sort())
})
