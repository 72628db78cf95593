import { describe, expect, test } from 'vitest'
import type { Event } from '../../../src/core/event/event.ts'
import { packetAt, promptAt } from '../../../src/core/memory/at.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { estimate } from '../../../src/core/tokens/estimate.ts'
import { shownOf } from '../../../src/core/view/shown.ts'
import { Memory } from '../../../src/memory.ts'
import { jsonlStore } from '../../../src/store/jsonl/jsonl.ts'
import { kvStore } from '../../../src/store/kv/kv.ts'
import { memoryStore } from '../../../src/store/memory.ts'
import { error } from '../../../src/tool/result.ts'

const begin = (store = memoryStore(), more = {}) =>
  Memory.open({ store, agentId: 'a', goal: 'Make it pass.', ...more })

async function eventsIn(store: Store): Promise<Event[]> {
  const events: Event[] = []
  for await (const event of store.read('a')) events.push(event)
  return events
}

describe('a tool run in one call', () => {
  test('records the call, what came back and how long it took, and gives it back', async () => {
    const store = memoryStore()
    const memory = await begin(store)
    const returned = await memory.recordToolRun({ tool: 'count', args: { file: 'a.txt' } }, () => '42 words')
    expect(returned).toBe('42 words')
    await memory.close()
    const events = await eventsIn(store)
    expect(events.map(({ type }) => type)).toEqual(['run_start', 'tool_call', 'tool_result'])
    expect(events[2]).toMatchObject({ data: { duration_ms: expect.any(Number), outcome: 'success' } })
  })

  test('what it throws is recorded, and thrown again', async () => {
    const memory = await begin()
    const run = memory.recordToolRun({ tool: 'count', args: {} }, () => Promise.reject(new Error('no file')))
    await expect(run).rejects.toThrow('no file')
    expect(memory.packet).toMatchObject({ last_error: 'no file', error_count: 1 })
  })

  test('it is given the secrets that its arguments hold placeholders for', async () => {
    const memory = await begin()
    const key = `ghp_${'Kd93jX0aQ7mZ2pLw'}${'8TrVb41NcYeH6sUf'}3Gk2`
    const hidden = memory.border.hide(`token ${key}`)
    expect(hidden).not.toContain(key)
    const given = await memory.recordToolRun({ tool: 'login', args: { header: hidden } }, (args) =>
      JSON.stringify(args).includes(key),
    )
    expect(given).toBe(true)
  })
})

test('a model’s answer is recorded with its completion', async () => {
  const store = memoryStore()
  const memory = await begin(store)
  const calls = [{ call_id: 'c1', tool: 'count', args: {} }]
  await memory.recordResponse({ model: 'm', text: 'I count.', calls, latencyMs: 12, completion: '{"x":1}' })
  await memory.close()
  const events = await eventsIn(store)
  expect(events.at(-1)).toMatchObject({
    type: 'model_response',
    data: { model: 'm', text: 'I count.', calls, latency_ms: 12 },
    raw: { completion: '{"x":1}' },
  })
})

describe('a goal that comes later', () => {
  test('is the first thing that a person says; what is said after it is not', async () => {
    const store = memoryStore()
    const memory = await begin(store, { goal: null })
    expect(memory.packet.goal).toBe('')
    await memory.say('Make the tests pass.')
    await memory.say('Only the fast ones.')
    expect(memory.packet.goal).toBe('Make the tests pass.')
    expect(JSON.stringify(memory.packet.person)).toContain('Only the fast ones.')
    const prompt = await memory.prompt()
    await memory.close()
    expect((await promptAt(store, 'a', { seq: 3 })).text).toBe(prompt.text)
    expect((await packetAt(store, 'a', { seq: 1 })).goal).toBe('')
  })

  test('however long it is, the packet stays within its limit', async () => {
    const memory = await begin(memoryStore(), { goal: null, packetSizeLimit: 300 })
    await memory.say('Make every one of these tests pass, and say why. '.repeat(200))
    expect((await memory.prompt()).tokens).toBeLessThanOrEqual(300)
  })
})

test('a log that is in use is waited for', async () => {
  const store = memoryStore()
  const first = await begin(store)
  await expect(begin(store)).rejects.toMatchObject({ code: 'locked' })
  const second = begin(store, { waitMs: 5_000 })
  await first.close()
  expect((await second).head.seq).toBe(1)
})

test('one result within any number of tokens keeps its sentence and the lines that matter', async () => {
  const memory = await begin()
  const lines = Array.from({ length: 500 }, (_, at) => `line ${at} says nothing`)
  const call = await memory.recordCall({ tool: 'build', args: {} })
  const returned = [...lines, 'src/a.ts:3: error: no such name', ...lines].join('\n')
  const event = await memory.recordResult({ call, returned })
  for (const tokens of [40, 100, 400]) {
    const shown = shownOf(event, tokens)
    expect(estimate.count(shown)).toBeLessThanOrEqual(tokens)
    expect(shown).toContain('no such name')
  }
  expect(shownOf(event, 100_000)).toContain(returned)
  expect(memory.began && shownOf(memory.began, 100)).toBe('')
})

test('a call has one result: a second one is refused, also while the first is on its way, and changes nothing', async () => {
  const memory = await begin()
  const call = await memory.recordCall({ tool: 'build', args: {} })
  const [first, second] = await Promise.allSettled([
    memory.recordResult({ call, returned: 'built' }),
    memory.recordResult({ call, returned: 'built' }),
  ])
  expect([first.status, second.status]).toEqual(['fulfilled', 'rejected'])
  const { head, packet } = memory
  await expect(memory.recordResult({ call, returned: 'again' })).rejects.toMatchObject({
    code: 'bad_event',
    message: expect.stringContaining('has its result already (event #3)'),
  })
  expect(memory).toMatchObject({ head, packet })
  // A harness may give another call the same id.
  const other = await memory.recordCall({ tool: 'build', args: {}, callId: call.data.call_id })
  await memory.recordResult({ call: other, returned: 'built' })
  expect(memory.packet.recent_actions).toHaveLength(2)
})

test('callers without types are told what is missing, and nothing is written', async () => {
  const untyped = Memory.open as (options?: unknown) => Promise<Memory>
  const told = { name: 'TwotrackError', code: 'bad_argument' }
  const goal = 'Make it pass.'
  for (const options of [
    undefined,
    {},
    { store: {}, agentId: 'a', goal },
    { store: './logs', agentId: 'a', goal },
  ])
    await expect(untyped(options)).rejects.toMatchObject({
      ...told,
      message: expect.stringContaining('memoryStore()'),
    })
  const store = memoryStore()
  await expect(untyped({ store, goal })).rejects.toMatchObject({
    ...told,
    message: expect.stringContaining('id'),
  })
  await expect(packetAt({} as Store, 'a', { turn: 1 })).rejects.toMatchObject(told)
  expect(() => jsonlStore({} as never)).toThrow('{ folder }')
  expect(() => kvStore({} as never)).toThrow('{ file }')
  expect(await store.list()).toEqual([])
  const memory = await begin(store)
  await expect(memory.recordResult({ returned: 'x' } as never)).rejects.toMatchObject({
    ...told,
    message: expect.stringContaining('recordCall'),
  })
})

test('an error that is all that came of a call is told as it is, in steps and among the failed attempts', async () => {
  const memory = await Memory.open({
    store: memoryStore(),
    agentId: 'e',
    goal: 'Save it',
    packetSizeLimit: 30_000,
    promptBudget: 40_000,
  })
  const call = await memory.recordCall({ tool: 'save', args: {} })
  await memory.recordResult({ call, returned: error('disk full') })
  expect(memory.packet.failed_attempts.join()).toContain('disk full')
  expect((await memory.prompt()).text).not.toContain('null')
  const long = `cannot save: ${'x'.repeat(3_000)} the end`
  await memory.recordResult({
    call: await memory.recordCall({ tool: 'save', args: {} }),
    returned: error(long),
  })
  expect(memory.packet.last_error).toBe(long)
})
