import { expect, onTestFinished, test } from 'vitest'
import { verifyLog } from '../../src/audit/verify.ts'
import { fieldOf } from '../../src/core/memory/blobs.ts'
import { Memory } from '../../src/memory.ts'
import { functiongemma } from '../../src/model/functiongemma.ts'
import { openai } from '../../src/model/openai.ts'
import { recorded } from '../../src/model/recorded.ts'
import { scripted } from '../../src/model/scripted.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { startFaultServer } from '../model/fault-server.ts'
import * as reply from '../model/replies.ts'
import { AGENT, countingTools, run, submits } from './agent-run.ts'

const served = async () => {
  const script = [
    reply.says({ calls: [{ tool: 'look', args: { what: 'here' } }] }),
    reply.says({ calls: [submits] }),
  ]
  const server = await startFaultServer({ script })
  onTestFinished(() => server.kill())
  return server
}

test.each([
  [
    'openai',
    (url: string) => openai({ model: 'm', url: `${url}/v1`, temperature: 0.25, extra: { top_k: 3 } }),
  ],
  ['functiongemma', (url: string) => functiongemma({ url, temperature: 0.25 })],
  ['ollama', (url: string) => functiongemma({ url, server: 'ollama', temperature: 0.25 })],
])(
  '%s: the log has what went over the wire, byte for byte, and it follows from the log',
  async (_, modelAt) => {
    const server = await served()
    const { stop, store, of } = await run({ tools: countingTools().tools, model: modelAt(server.url) })
    expect(stop.reason).toBe('submitted')
    const bodies = await Promise.all(of('model_request').map((event) => fieldOf(store, event, 'prompt')))
    expect(bodies).toEqual(server.requests.map(({ body }) => JSON.stringify(body)))
    expect(of('run_start')[0]?.data.wire).toBe('recorded')
    expect(await verifyLog(store, AGENT)).toMatchObject({ ok: true, prompts: 2, sent: 2, wire: 'recorded' })
    // The log answers the same requests again, without a server.
    const again = await run({ tools: countingTools().tools, model: recorded({ store, agentId: AGENT }) })
    expect(again.stop).toEqual(stop)
  },
)

test('a body that was not made of the log is found', async () => {
  const server = await served()
  const lying = openai({ model: 'm', url: `${server.url}/v1` })
  const { store } = await run({ tools: countingTools().tools, model: lying })
  const other = memoryStore()
  const memory = await Memory.open({ store: other, agentId: AGENT, goal: 'Do the work.' })
  const prompt = await memory.prompt()
  const text = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Do something else.' }] })
  await memory.recordRequest(prompt, 'm', { format: 'chat/1', parameters: { model: 'm' }, text })
  expect((await verifyLog(other, AGENT)).findings).toMatchObject([
    { what: 'the prompt does not follow from the events before it' },
  ])
  expect((await verifyLog(store, AGENT)).ok).toBe(true)
})

test.each(['messages', 'tools', 'model', 'functions'])('extra may not replace %s', (field) => {
  expect(() => openai({ model: 'm', url: 'http://127.0.0.1:1/v1', extra: { [field]: [] } })).toThrow(
    `model.extra has ${field}, which the request holds already`,
  )
})

test('whoever sends the prompt itself, or sends nothing of ours, is said in the first event and by verify', async () => {
  const { store } = await run({ tools: countingTools().tools, model: scripted([submits]) })
  expect(await verifyLog(store, AGENT)).toMatchObject({ prompts: 1, sent: 0, wire: 'handed_over' })
  const unseen = memoryStore()
  await Memory.open({ store: unseen, agentId: AGENT, goal: 'g', wire: 'unseen' })
  expect(await verifyLog(unseen, AGENT)).toMatchObject({ prompts: 0, wire: 'unseen' })
})

test('a hub that hangs ends by a time limit, and on abort', async () => {
  const hub = {
    name: 'hanging',
    pull: () => new Promise<never>(() => {}),
    close: async () => {},
  }
  const limits = { turnsMax: 5, toolDeadlineMs: 5 }
  const { stop, of } = await run({ model: scripted([submits]), hub, limits })
  expect(stop.reason).toBe('submitted')
  expect(of('agent_error')[0]?.data).toMatchObject({ where: 'hub', message: expect.stringContaining('5 ms') })
  const stopped = new AbortController()
  const pull = () => {
    stopped.abort()
    return new Promise<never>(() => {})
  }
  const model = scripted([submits])
  const cancelled = await run({ model, hub: { ...hub, pull }, signal: stopped.signal })
  expect(cancelled.stop.reason).toBe('cancelled')
})
