import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { functiongemma } from '../../src/model/functiongemma.ts'
import type { Model } from '../../src/model/model.ts'
import { openai } from '../../src/model/openai.ts'
import { faultCases } from '../model/fault-catalogue.ts'
import { type Reply, startFaultServer } from '../model/fault-server.ts'
import * as reply from '../model/replies.ts'
import { selfSigned } from '../model/self-signed.ts'
import { countingTools, type Ran, run } from './agent-run.ts'

const shared = process.env['TWOTRACK_SHARED'] ?? join(import.meta.dirname, '../../../shared')
const list = join(shared, 'corpora/modelserver/faults.json')
const elsewhere = ['M01', 'M02', 'M04', 'M35', 'M36']

const models: Record<string, (url: string, deadlineMs: number) => Model> = {
  chat: (url, deadlineMs) => openai({ url: `${url}/v1`, model: 'm', deadlineMs }),
  'chat, streamed': (url, deadlineMs) => openai({ url: `${url}/v1`, model: 'm', deadlineMs, stream: true }),
  functiongemma: (url, deadlineMs) => functiongemma({ url, deadlineMs }),
}

const send = reply.says({ calls: [{ tool: 'send', args: { what: 'it' } }] })
const submit = reply.says({ calls: [{ tool: 'submit_result', args: { summary: 'all done' } }] })
const at = { 'the first turn': 0, 'a later turn': 1 } as const
const PATIENT_MS = 60_000
/** A server that hangs is given up on after this; one that answers has all the time it needs. */
const deadlineOf = (id: string) => (id === 'M05' || id === 'M06' ? 60 : PATIENT_MS)

/**
 * A run in which the server answers well but for the given replies, which come at one turn. Replies go by what the run has
 * asked: on a busy machine a hasty request may be given up before it reaches the server.
 */
async function runWith(
  modelAt: (url: string, deadlineMs: number) => Model,
  before: number,
  faults: readonly Reply[],
  deadlineMs = PATIENT_MS,
) {
  const good = [send, submit]
  const script = [...good.slice(0, before), ...faults, ...good.slice(before)]
  let asked = 0
  const server = await startFaultServer({ script: () => script[asked - 1] ?? submit })
  onTestFinished(() => server.kill())
  const { ran, tools } = countingTools()
  const patient = modelAt(server.url, PATIENT_MS)
  const hasty = modelAt(server.url, deadlineMs)
  const model: Model = {
    ...patient,
    answer(request, signal) {
      const at = asked++ - before
      return (at >= 0 && at < faults.length ? hasty : patient).answer(request, signal)
    },
  }
  const ended = await run({ tools, model })
  return { ...ended, sent: ran.send, asked }
}

/** Whatever came, it is in the log: a response or an error for each request, and one end. */
function checkRecord({ of, stop, waits }: Ran, requests: number): void {
  const faults = of('agent_error').filter(({ data }) => data.where === 'model')
  expect(of('model_request')).toHaveLength(requests)
  expect(of('model_response').length + faults.length).toBe(requests)
  expect(of('tool_result')).toHaveLength(of('tool_call').length)
  expect(of('run_end').map(({ data }) => data.reason)).toEqual([stop.reason])
  expect(waits).toHaveLength(faults.filter(({ data }) => data.retry).length)
  for (const { data } of faults)
    expect(data).toMatchObject({ code: expect.any(String), attempt: expect.any(Number) })
}

describe.each(Object.entries(models))('%s', (name, modelAt) => {
  const cases = Object.entries(faultCases)
    .map(([id, each]) => ({ id, ...each }))
    .filter(({ streamOnly }) => name.includes('streamed') || !streamOnly)
  // Answers of a megabyte and more are asked for once: that says it all.
  const isLarge = ({ id }: { readonly id: string }) => ['M24', 'M29', 'M30'].includes(id)

  describe.each(Object.entries(at))('at %s', (_, before) => {
    test.each(cases.filter((one) => before === 0 || !isLarge(one)))(
      '$id, once: $fault',
      async ({ id, replies, outcome }) => {
        const [first] = replies
        const ended = await runWith(modelAt, before, [first], deadlineOf(id))
        checkRecord(ended, ended.asked)
        expect(ended.sent).toBe(sendsOf(ended))
        const [error] = ended.of('agent_error')
        if (outcome !== 'answer') expect(outcome).toContain(error?.data.code)
        if (outcome === 'answer' || error?.data.retry) expect(ended.stop.reason).toBe('submitted')
        else expect(ended.stop.reason).toBe('model_failed')
        expect(ended.sent).toBe(ended.stop.reason === 'submitted' ? 1 : before)
      },
    )

    test.each(cases.filter((one) => before === 1 && !isLarge(one)))(
      '$id, for ever: $fault',
      async ({ id, replies, outcome }) => {
        const faults = Array.from({ length: 40 }, (_, index) => replies[index % replies.length] ?? replies[0])
        const ended = await runWith(modelAt, before, faults, deadlineOf(id))
        checkRecord(ended, ended.asked)
        expect(ended.sent).toBe(sendsOf(ended))
        expect(ended.stop.reason, ended.stop.summary).toMatch(/model_failed|loop|turn_limit|submitted/)
        if (outcome !== 'answer' && id !== 'M09') expect(ended.stop.reason).toBe('model_failed')
        expect(ended.asked).toBeLessThanOrEqual(before + 20)
      },
    )
  })

  test('M01: connection refused', async () => {
    const gone = await startFaultServer({ script: [reply.silence] })
    await gone.kill()
    const ended = await run({ model: modelAt(gone.url, PATIENT_MS) })
    checkRecord(ended, 3)
    expect(ended.stop.reason).toBe('model_failed')
  })

  test('M02: no such host', async () => {
    const ended = await run({ model: modelAt('http://no-such-host.invalid', 3_000) })
    checkRecord(ended, 3)
    expect(ended.stop.reason).toBe('model_failed')
  })

  test('M04: a certificate that is not trusted', async () => {
    const server = await startFaultServer({ script: [submit], tls: selfSigned })
    onTestFinished(() => server.kill())
    const ended = await run({ model: modelAt(server.url, PATIENT_MS) })
    checkRecord(ended, 1)
    expect(ended.stop.reason).toBe('model_failed')
  })

  test('M35: the clock jumps back by an hour between two events', async () => {
    const server = await startFaultServer({ script: [send, submit] })
    onTestFinished(() => server.kill())
    let clock = Date.UTC(2026, 0, 1)
    const now = () => {
      clock -= 3_600_000
      return new Date(clock)
    }
    const { tools, ran } = countingTools()
    const ended = await run({ tools, model: modelAt(server.url, PATIENT_MS), now })
    expect(ended.stop.reason).toBe('submitted')
    expect(ran.send).toBe(1)
  })

  test('M36: killed while eight runs are asking', async () => {
    const server = await startFaultServer({ script: [reply.silence] })
    const asking = Array.from({ length: 8 }, () => run({ model: modelAt(server.url, PATIENT_MS) }))
    await server.received(8)
    await server.kill()
    for (const ended of await Promise.all(asking)) {
      checkRecord(ended, 3)
      expect(ended.stop.reason).toBe('model_failed')
    }
  })
})

const sendsOf = ({ of }: Ran) =>
  of('tool_result').filter(({ data }) => data.tool === 'send' && data.outcome === 'success').length

test('a wait that the server asks for is respected, an own one grows', async () => {
  const asks = reply.error(429, 'later', { 'retry-after': '2' })
  const ended = await runWith((url) => openai({ url: `${url}/v1`, model: 'm' }), 0, [asks, reply.reset])
  expect(ended.stop.reason).toBe('submitted')
  expect(ended.waits).toEqual([2_500, 2_000])
})

test.skipIf(!existsSync(list))('every fault of the list is acted out', () => {
  const { faults } = JSON.parse(readFileSync(list, 'utf8')) as { faults: { id: string }[] }
  expect([...Object.keys(faultCases), ...elsewhere].sort()).toEqual(faults.map(({ id }) => id).sort())
})
