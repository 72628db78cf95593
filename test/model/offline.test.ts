import { afterEach, describe, expect, test } from 'vitest'
import { Memory } from '../../src/memory.ts'
import { modelFaultOf } from '../../src/model/faults.ts'
import { firstCandidate } from '../../src/model/first-candidate.ts'
import type { ModelRequest } from '../../src/model/model.ts'
import { recorded } from '../../src/model/recorded.ts'
import { scripted } from '../../src/model/scripted.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { requestWith, weather } from './request.ts'

const signal = new AbortController().signal
const faultOf = async (answer: Promise<unknown>) => modelFaultOf(await answer.catch((thrown) => thrown))

describe('first-candidate', () => {
  test('takes the first candidate action of the packet', async () => {
    const candidate_actions = [
      { tool: 'apply_fix', args: { line: 3 }, reason: 'fixable' },
      { tool: 'run_linter', args: {}, reason: 'look again' },
    ]
    expect(await firstCandidate().answer(requestWith({ candidate_actions }), signal)).toEqual({
      text: 'fixable',
      calls: [{ call_id: 'call_3_1', tool: 'apply_fix', args: { line: 3 } }],
      finish: 'tool_calls',
    })
  })

  test('says so when there is none', async () => {
    const answer = await firstCandidate().answer(requestWith(), signal)
    expect(answer.calls).toEqual([])
    expect(answer.text).toContain('no candidate')
  })
})

describe('scripted', () => {
  test('answers in order, acts out faults, and fails when it is used up', async () => {
    const model = scripted([
      { tool: 'f', args: { a: 1 } },
      { fault: { kind: 'rate_limited', retry: true, wait_ms: 5 } },
      { text: 'Done.' },
    ])
    const ask = () => model.answer(requestWith(), signal)
    expect((await ask()).calls).toEqual([{ call_id: 'call_3_1', tool: 'f', args: { a: 1 } }])
    expect(await faultOf(ask())).toEqual({ kind: 'rate_limited', retry: true, wait_ms: 5 })
    expect(await ask()).toMatchObject({ text: 'Done.', calls: [] })
    expect(await faultOf(ask())).toEqual({ kind: 'no_answer_recorded', retry: false })
  })

  test('may be a function of the request', async () => {
    const model = scripted(({ prompt }, index) => ({ text: `${prompt.packet.goal} ${index}` }))
    await model.answer(requestWith(), signal)
    expect((await model.answer(requestWith({ goal: 'Look.' }), signal)).text).toBe('Look. 1')
  })
})

describe('recorded', () => {
  const store = memoryStore()
  let memory: Memory | undefined
  afterEach(() => memory?.close())

  /** A log of two turns with an answer each, and a third turn whose request failed. */
  async function record(agent_id: string): Promise<ModelRequest[]> {
    memory = await Memory.open({ store, agentId: agent_id, goal: 'Tell the weather.', tools: [weather] })
    const requests: ModelRequest[] = []
    for (const text of ['first', 'x'.repeat(100_000), undefined]) {
      await memory.startTurn()
      const prompt = await memory.prompt()
      requests.push({ ...requestWith(), prompt })
      await memory.recordRequest(prompt, 'live')
      const calls = [{ call_id: 'c', tool: 'f', args: { text: text ?? '' } }]
      if (text !== undefined)
        await memory.record({ type: 'model_response', data: { model: 'live', text, calls } })
    }
    return requests
  }

  test('gives the answers of a log again', async () => {
    const requests = await record('replayed')
    const model = recorded({ store, agentId: 'replayed' })
    // Whatever was asked before, the prompt decides.
    for (const index of [1, 0]) {
      const text = index === 0 ? 'first' : 'x'.repeat(100_000)
      const request = requests[index] ?? requestWith()
      expect(await model.answer(request, signal)).toEqual({
        text,
        calls: [{ call_id: 'c', tool: 'f', args: { text } }],
      })
    }
  })

  test('fails closed', async () => {
    const [, , third] = await record('closed')
    const model = recorded({ store, agentId: 'closed' })
    expect(await faultOf(model.answer(third ?? requestWith(), signal))).toEqual({
      kind: 'no_answer_recorded',
      retry: false,
    })
    const other = requestWith({ goal: 'Something else.' })
    expect(await faultOf(model.answer(other, signal))).toMatchObject({ kind: 'no_answer_recorded' })
  })

  test('a log that is not there is a fault of the same kind', async () => {
    const model = recorded({ store, agentId: 'nobody' })
    expect(await faultOf(model.answer(requestWith(), signal))).toMatchObject({ kind: 'no_answer_recorded' })
  })
})
