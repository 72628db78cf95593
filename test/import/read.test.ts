import { describe, expect, test } from 'vitest'
import { verifyLog } from '../../src/audit/verify.ts'
import type { Event } from '../../src/core/event/event.ts'
import type { Json } from '../../src/core/event/json.ts'
import { readTrajectory } from '../../src/import/read.ts'
import { recordTrajectory } from '../../src/import/record.ts'
import type { ResultStep, Step, StepCall } from '../../src/import/trajectory.ts'
import { Memory } from '../../src/memory.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { refused } from '../../src/testing/given.ts'
import { FORMATS, GOAL } from './formats.ts'

function stepsOf(text: string): Step[] {
  const { steps } = readTrajectory(text, 'file')
  if (!(Symbol.iterator in steps)) throw new Error('not a list')
  return [...steps]
}

/** Each call with its result: the one of its id that comes next and belongs to no call before it. */
function callsOf(text: string): (StepCall & Pick<ResultStep, 'output' | 'is_error'>)[] {
  const steps = stepsOf(text)
  const results = steps.filter((step) => step.kind === 'result')
  return steps
    .flatMap((step) => (step.kind === 'model' ? step.calls : []))
    .map((call) => {
      const at = results.findIndex(({ call_id }) => call_id === call.call_id)
      const [result] = results.splice(at, 1)
      if (at < 0 || !result) throw new Error(`no result of ${call.call_id}`)
      return { ...call, output: result.output, is_error: result.is_error }
    })
}

async function imported(text: string): Promise<{ events: Event[]; packet: Memory['packet'] }> {
  const store = memoryStore()
  await recordTrajectory(readTrajectory(text, 'file'), { store, agentId: 'a' })
  const events: Event[] = []
  for await (const event of store.read('a')) events.push(event)
  expect((await verifyLog(store, 'a')).findings).toEqual([])
  const memory = await Memory.open({ store, agentId: 'a' })
  return { events, packet: memory.packet }
}

describe('message lists of other harnesses', () => {
  test.each(Object.entries(FORMATS))('%s', async (_name, messages) => {
    const text = JSON.stringify(messages)
    expect(readTrajectory(text, 'file').goal).toBe(GOAL)
    expect(callsOf(text)).toEqual([
      {
        call_id: expect.any(String),
        tool: 'read_file',
        args: { path: 'foo.py' },
        output: 'def foo():\n  pass',
        is_error: expect.toBeOneOf([null, false]),
      },
      {
        call_id: expect.any(String),
        tool: 'run_tests',
        args: {},
        output: '1 failed',
        is_error: expect.toBeOneOf([null, false]),
      },
    ])
    const { events, packet } = await imported(text)
    expect(packet.goal).toBe(GOAL)
    expect(packet.recent_actions.flatMap(({ tool }) => tool || [])).toEqual(['read_file', 'run_tests'])
    expect(events.filter(({ type }) => type === 'turn_start').length).toBeGreaterThanOrEqual(2)
    // The same messages, one a line.
    if (Array.isArray(messages)) {
      expect(callsOf(messages.map((message) => JSON.stringify(message)).join('\n'))).toEqual(callsOf(text))
    }
  })

  const chat = (...messages: Json[]) => JSON.stringify([{ role: 'user', content: GOAL }, ...messages])
  const calls = (...ids: string[]) => ({
    role: 'assistant',
    content: null,
    tool_calls: ids.map((id) => ({
      id,
      type: 'function',
      function: { name: `tool_${id}`, arguments: '{}' },
    })),
  })
  const answer = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content })

  test('ids that are counted anew each turn find their own results', () => {
    const text = chat(calls('0'), answer('0', 'first'), calls('0'), answer('0', 'second'))
    expect(callsOf(text).map(({ output }) => output)).toEqual(['first', 'second'])
  })

  test('several calls of one answer are one turn, whatever the order of results', () => {
    const steps = stepsOf(chat(calls('a', 'b'), answer('b', 'of b'), answer('a', 'of a')))
    expect(steps.filter(({ kind }) => kind === 'model')).toHaveLength(1)
    expect(
      callsOf(chat(calls('a', 'b'), answer('b', 'of b'), answer('a', 'of a'))).map(({ output }) => output),
    ).toEqual(['of a', 'of b'])
  })

  test('a call without a result is recorded as called; a result without a call is kept', async () => {
    const { events } = await imported(chat(calls('a'), answer('zzz', 'orphan')))
    expect(
      events.flatMap((event) => (event.type === 'tool_result' ? [event.raw?.['raw_output']] : [])),
    ).toEqual(['orphan'])
    expect(events.filter(({ type }) => type === 'tool_call')).toHaveLength(2)
  })

  test('a result whose call is lost has the name of its tool, where the source says it', () => {
    const event = { id: 'e', source: 'environment', timestamp: '2026-05-01T10:00:00', tool_call_id: 'lost' }
    const observation = { kind: 'TerminalObservation', content: [{ type: 'text', text: 'a' }] }
    expect(
      stepsOf(JSON.stringify({ ...event, kind: 'ObservationEvent', tool_name: 'terminal', observation })),
    ).toMatchObject([{ kind: 'result', tool: 'terminal', output: 'a' }])
  })

  test('everything that a person says later is known, also twice in one turn', async () => {
    const { packet } = await imported(
      chat(
        calls('a'),
        answer('a', 'x'),
        { role: 'user', content: 'use tabs' },
        { role: 'user', content: 'and no semicolons' },
      ),
    )
    const known = JSON.stringify(packet.person)
    expect(known).toContain('use tabs')
    expect(known).toContain('and no semicolons')
  })

  test('arguments that are no JSON, nested too deep or missing do no harm', async () => {
    const deep = `${'['.repeat(100)}${']'.repeat(100)}`
    const call = (args: Json) => ({
      role: 'assistant',
      tool_calls: [{ id: 'x', function: { name: 't', arguments: args } }],
    })
    const { events } = await imported(chat(call('{broken'), call(deep), call(null)))
    const recorded = events.flatMap((event) => (event.type === 'tool_call' ? [event.data.args] : []))
    expect(recorded).toEqual(['{broken', deep, {}])
  })
})

describe('actions, one a line', () => {
  const meta = JSON.stringify({ meta: { task: GOAL, source: 'test' } })
  const action = (turn: number, raw_output: Json, is_error: boolean | null = null) =>
    JSON.stringify({ turn, tool: 'shell', args: { command: 'ls' }, raw_output, is_error })

  test('outputs of every kind, turns that skip and repeat', async () => {
    const outputs = [
      '',
      '\ud800',
      'x\r\n',
      null,
      0,
      false,
      [],
      {},
      { error: true, message: 'm' },
      { result: 1, summary: 's', extra: 2 },
    ]
    const lines = outputs.map((output, at) => action(at === 3 ? 3 : at * 2 + 1, output as Json))
    const { events } = await imported([meta, ...lines].join('\n'))
    const results = events.flatMap((event) =>
      event.type === 'tool_result' ? [event.raw?.['raw_output']] : [],
    )
    expect(
      results.map((raw, at) => (typeof outputs[at] === 'string' ? raw : JSON.parse(String(raw)))),
    ).toEqual(outputs)
  })

  test('an error that the source states is one', async () => {
    const { packet } = await imported([meta, action(1, 'boom: the build broke\nlater', true)].join('\n'))
    expect(packet).toMatchObject({ error_count: 1, last_error: 'boom: the build broke' })
  })

  test('of a program that failed the error is what it said in the end, not how its output begins', async () => {
    const output = 'Running all checks...\nok lint\nhook failed (code 2)\n\nCommand exited with code 1'
    const { packet } = await imported([meta, action(1, output, true)].join('\n'))
    expect(packet.last_error ?? packet.recent_actions.at(-1)?.summary).toContain('hook failed (code 2)')
    expect(packet.last_error).not.toBe('Running all checks...')
  })

  test('without a first line of meta, and with only that', async () => {
    expect(readTrajectory(action(1, 'x'), 'file.jsonl').goal).toContain('file.jsonl')
    expect((await imported(meta)).events.map(({ type }) => type)).toEqual(['run_start', 'run_end'])
  })

  test('a task longer than a packet is recorded whole and shown by its ends', async () => {
    for (const task of ['A sentence of the task.\n'.repeat(2_000), 'word '.repeat(20_000)]) {
      const { packet, events } = await imported(`${JSON.stringify({ meta: { task } })}\n${action(1, 'x')}`)
      expect(task.startsWith(packet.goal.slice(0, 100))).toBe(true)
      expect(packet.goal).toMatch(/⋮|…/)
      expect(events[0]?.type === 'run_start' && events[0].data.goal).toBe(task)
    }
  })

  test('one that fails midway leaves nothing behind, and can be imported again', async () => {
    const store = memoryStore()
    const trajectory = readTrajectory(`${action(1, 'x')}\n${action(2, 'y')}`, 'file')
    async function* failing() {
      yield* trajectory.steps
      throw new Error('the rest can not be read')
    }
    const options = { store, agentId: 'a' }
    await expect(recordTrajectory({ ...trajectory, steps: failing() }, options)).rejects.toThrow('the rest')
    expect(await store.head('a')).toBeUndefined()
    expect(await store.list()).toEqual([])
    expect(await recordTrajectory(trajectory, options)).toMatchObject({ turns: 2 })
  })

  test('a large recording', async () => {
    const { events } = await imported(
      [
        meta,
        action(1, 'y'.repeat(20_000_000)),
        ...Array.from({ length: 300 }, (_, at) => action(at + 2, 'ok')),
      ].join('\n'),
    )
    expect(events.filter(({ type }) => type === 'tool_result')).toHaveLength(301)
  })
})

describe('what is no recording is refused, saying where', () => {
  const meta = '{"meta":{"task":"t"}}'
  const good = '{"tool":"t","args":{},"raw_output":"x"}'
  const reading = (text: string) => refused('bad_import', () => readTrajectory(text, 'my.jsonl'))

  test.each([
    [`${meta}\n${good}\n{"tool":\n${good}`, 3, 2],
    [`${meta}\n\n\n${good}\n\n"text"`, 6, 1],
    [`\n${good}\n{"raw_output":"no tool"}`, 3, 1],
    [`${meta}\n[1]`, 2, 0],
  ])('a bad line is told with its number, and the others are imported (%#)', async (text, line, turns) => {
    const store = memoryStore()
    const { remarks, ...done } = await recordTrajectory(readTrajectory(text, 'my.jsonl'), {
      store,
      agentId: 'a',
    })
    expect(remarks).toEqual([expect.stringContaining(`my.jsonl, line ${line}:`)])
    expect(done).toMatchObject({ turns, calls: turns })
  })

  test('empty, binary, foreign', () => {
    expect(reading(' \n').message).toContain('empty')
    for (const text of [
      '\u0000\u0001\u0002',
      'just text',
      '[]',
      '{}',
      '7',
      '[1,2]',
      '{"level":"info","msg":"started"}\n{"level":"warn","msg":"slow"}',
      '{"time":1,"content":"a log line"}\n{"time":2,"content":"another"}',
      '[{"id":1,"text":"a todo"}]',
      '{"name":"package","version":"1.0.0"}',
    ])
      expect(reading(text).message, text).toMatch(/not a recording that can be imported.*Expected/s)
  })
})
