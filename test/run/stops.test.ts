import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { firstCandidate } from '../../src/model/first-candidate.ts'
import { scripted } from '../../src/model/scripted.ts'
import { defineTool } from '../../src/tool/tool.ts'
import { counted, countingTools, run, submits } from './agent-run.ts'

const look = (what: string) => ({ tool: 'look', args: { what } })
const changing = () => {
  let at = 0
  return scripted(() => look(`place ${at++}`))
}

describe('a run ends with a reason', () => {
  test('submitted: the result and its summary are recorded', async () => {
    const { tools } = countingTools()
    const { stop, of } = await run({ tools, model: scripted([look('a'), submits]) })
    expect(stop).toEqual({ reason: 'submitted', summary: 'all done' })
    expect(of('submit_result').map(({ data }) => data)).toEqual([
      { result: { summary: 'all done' }, summary: 'all done', by: 'model' },
    ])
    expect(of('run_end').map(({ data }) => data.reason)).toEqual(['submitted'])
  })

  test('turn_limit: the model is not asked past it', async () => {
    const { tools } = countingTools()
    const model = counted(changing())
    const { stop, of } = await run({ tools, model, limits: { turnsMax: 4 } })
    expect(stop.reason).toBe('turn_limit')
    expect(model.asked).toBe(4)
    expect(of('turn_start')).toHaveLength(4)
  })

  test('a limit of 0 turns asks nobody', async () => {
    const model = counted(changing())
    expect((await run({ model, limits: { turnsMax: 0 } })).stop.reason).toBe('turn_limit')
    expect(model.asked).toBe(0)
  })

  test('token_limit: all prompts together stay within it', async () => {
    const { tools } = countingTools()
    const model = counted(changing())
    const { stop, of } = await run({ tools, model, limits: { turnsMax: 20, promptTokensMax: 2_000 } })
    expect(stop.reason).toBe('token_limit')
    const used = of('model_request').reduce((sum, { data }) => sum + data.prompt_tokens, 0)
    expect(used).toBeGreaterThan(1_000)
    expect(used).toBeLessThanOrEqual(2_000)
    expect(model.asked).toBe(of('model_request').length)
  })

  test.each([1, 2, 3])('loop: a cycle of %i calls with the same results', async (length) => {
    const { tools } = countingTools()
    const model = counted(scripted((_, index) => look(`place ${index % length}`)))
    const { stop } = await run({ tools, model })
    expect(stop.reason).toBe('loop')
    expect(model.asked).toBe(3 * length)
  })

  test('loop: the same call whose result holds a counter is found later', async () => {
    let at = 0
    const clock = defineTool({
      name: 'clock',
      description: 'Tells another time each time.',
      effect: 'pure',
      input: z.strictObject({}),
      run: () => `${at++} o'clock`,
    })
    const model = counted(scripted(() => ({ tool: 'clock' })))
    expect((await run({ tools: [clock], model })).stop.reason).toBe('loop')
    expect(model.asked).toBe(6)
  })

  test('no loop: large arguments that differ, with the same result', async () => {
    const write = defineTool({
      name: 'write',
      description: 'Writes.',
      effect: 'idempotent',
      input: z.strictObject({ text: z.string() }),
      run: () => 'written',
    })
    const model = scripted((_, index) =>
      index < 6 ? { tool: 'write', args: { text: `${index}`.repeat(40_000) } } : submits,
    )
    expect((await run({ tools: [write], model })).stop.reason).toBe('submitted')
  })

  test('loop: calls that only fail', async () => {
    const model = counted(scripted((_, index) => ({ tool: `no_such_tool_${index}` })))
    const { stop } = await run({ model })
    expect(stop).toMatchObject({
      reason: 'loop',
      summary: expect.stringMatching(
        /^5 calls in a row failed, the last: no_such_tool_4 \{\} → .*There is no tool "no_such_tool_4"/,
      ),
    })
    expect(model.asked).toBe(5)
  })

  test('model_failed: a fault that is not worth a retry', async () => {
    const model = counted(scripted([{ fault: { kind: 'unauthorized', retry: false } }]))
    const { stop, of } = await run({ model })
    expect(stop.reason).toBe('model_failed')
    expect(model.asked).toBe(1)
    expect(of('agent_error').map(({ data }) => data)).toMatchObject([
      { where: 'model', code: 'unauthorized', attempt: 1, retry: false },
    ])
  })

  test('cancelled: nothing is asked after the signal, and what was cut off has no result', async () => {
    const stopping = new AbortController()
    const slow = defineTool({
      name: 'slow',
      description: 'Ends when it is told to.',
      effect: 'idempotent',
      input: z.strictObject({}),
      run: (_, { signal }) => {
        stopping.abort()
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      },
    })
    const model = counted(scripted([{ tool: 'slow' }, submits]))
    const cut = await run({ tools: [slow], model, signal: stopping.signal })
    expect(cut.stop.reason).toBe('cancelled')
    expect(model.asked).toBe(1)
    expect(cut.of('tool_call')).toHaveLength(1)
    expect(cut.of('tool_result')).toHaveLength(0)
  })

  test('a bug outside of model and tools is in the log too', async () => {
    const candidates = () => {
      throw new Error('the rules are broken')
    }
    const { stop, of } = await run({ candidates, model: scripted([submits]) })
    expect(stop).toEqual({ reason: 'crashed', summary: 'the rules are broken' })
    expect(of('agent_error').map(({ data }) => data.where)).toEqual(['run'])
  })
})

describe('answers that are not what was asked for', () => {
  test('text without a call is an error that the model is told, three in a row end the run', async () => {
    const prompts: string[] = []
    const model = scripted(({ prompt }) => {
      prompts.push(prompt.text)
      return { text: 'I will think about it.' }
    })
    const { stop } = await run({ model })
    expect(stop).toMatchObject({ reason: 'model_failed', summary: expect.stringContaining('3 answers') })
    expect(prompts).toHaveLength(3)
    expect(prompts[1]).toContain('called no tool')
  })

  test('a call between two silent answers begins the count anew', async () => {
    const { tools } = countingTools()
    const silent = { text: 'Hm.' }
    const model = scripted([silent, silent, look('a'), silent, silent, submits])
    expect((await run({ tools, model })).stop.reason).toBe('submitted')
  })

  test('JSON text that fits the result counts as submitted', async () => {
    const { stop, of } = await run({ model: scripted([{ text: ' {"summary": "by text", "count": 2} ' }]) })
    expect(stop).toEqual({ reason: 'submitted', summary: 'by text' })
    expect(of('tool_call')).toHaveLength(1)
  })

  test('JSON text that does not fit is no result', async () => {
    const model = scripted([{ text: '{"summary": 5}' }, { text: '{"sum": "x"}' }, submits])
    const { stop, of } = await run({ model })
    expect(stop.summary).toBe('all done')
    expect(of('agent_error')).toHaveLength(2)
  })

  test('an unknown tool is an error result that names the tools', async () => {
    const { tools } = countingTools()
    const { of } = await run({ tools, model: scripted([{ tool: 'lok', args: { what: 'x' } }, submits]) })
    expect(of('tool_result')[0]?.data).toMatchObject({
      outcome: 'error',
      error: expect.stringContaining('Did you mean look?'),
    })
    expect(of('tool_result')[0]?.delta?.add_failed_attempt).toEqual([
      expect.stringContaining('Did you mean look?'),
    ])
  })

  test.each([
    ['text', 'what: x'],
    ['a list', ['x']],
    ['null', null],
    ['a wrong type', { what: 5 }],
    ['a field too many', { what: 'x', why: 'y' }],
    ['61 levels', deep(61)],
  ])('arguments that are %s are an error result; the tool does not run', async (_, args) => {
    const { ran, tools } = countingTools()
    const call = { call_id: 'c', tool: 'look', args }
    const { stop, of } = await run({ tools, model: scripted([{ text: '', calls: [call] }, submits]) })
    expect(stop.reason).toBe('submitted')
    expect(of('tool_result')[0]?.data).toMatchObject({ outcome: 'error' })
    expect(ran.look).toBe(0)
  })

  test('a result that does not fit its schema is an error result, and the run goes on', async () => {
    const bad = { tool: 'submit_result', args: { summary: 'x', count: 'many' } }
    const { stop, of } = await run({ model: scripted([bad, submits]) })
    expect(stop.summary).toBe('all done')
    expect(of('submit_result')).toHaveLength(1)
    expect(of('tool_result')[0]?.data.error).toContain('count')
  })

  test('calls after the submit of the same answer are not made', async () => {
    const { ran, tools } = countingTools()
    const calls = [
      { call_id: 'a', tool: 'send', args: { what: 'x' } },
      { call_id: 'b', ...submits },
      { call_id: 'c', tool: 'send', args: { what: 'y' } },
    ]
    expect((await run({ tools, model: scripted([{ text: '', calls }]) })).stop.reason).toBe('submitted')
    expect(ran.send).toBe(1)
  })

  test('the embedded default without a candidate gives up', async () => {
    expect((await run({ model: firstCandidate() })).stop.reason).toBe('model_failed')
  })
})

/** An object in an object in an object. */
function deep(levels: number): { what: never } {
  let value: unknown = 'x'
  for (let level = 0; level < levels; level++) value = { what: value }
  return value as { what: never }
}
