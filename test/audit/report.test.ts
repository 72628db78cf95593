import { describe, expect, test } from 'vitest'
import { makeReport } from '../../src/audit/report/make.ts'
import { reportMarkdown } from '../../src/audit/report/markdown.ts'
import type { EventFor } from '../../src/core/event/event.ts'
import type { Store } from '../../src/core/store/store.ts'
import { Memory } from '../../src/memory.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { collect } from '../../src/testing/store-cases/case.ts'
import { success } from '../../src/tool/result.ts'
import { clock } from '../core/memory/clock.ts'

const HOSTILE = '<script>alert(1)</script> | **bold** [x](javascript:1) \u202eevil\x1b[31m `tick` & "quoted"'
const MADE = new Date('2026-11-16T12:00:00Z')
const prices = { currency: 'EUR', models: { small: { prompt: 2, completion: 10 } } }

async function agent(
  store: Store,
  agent_id: string,
  end: 'submitted' | 'loop',
  goal = HOSTILE,
): Promise<void> {
  const memory = await Memory.open({
    store,
    agentId: agent_id,
    runId: 'run-1',
    operation: 'lint',
    goal,
    ...clock(),
  })
  await memory.startTurn()
  await memory.recordRequest(await memory.prompt(), 'small')
  await memory.record({
    type: 'model_response',
    data: {
      model: 'small',
      text: '',
      calls: [],
      usage: { prompt_tokens: 1_000, completion_tokens: 50 },
      latency_ms: 1_500,
    },
  })
  const call = (args: object) =>
    memory.recordCall({ tool: 'write_file', args: { ...args } }) as Promise<EventFor<'tool_call'>>
  await memory.recordResult({
    call: await call({ path: 'a.py', content: 'x = 1\n' }),
    returned: 'written',
    durationMs: 20,
  })
  await memory.recordResult({
    call: await call({ path: HOSTILE }),
    returned: new Error(`no such file: ${HOSTILE}`),
  })
  await memory.say('Only a.py, please.')
  if (end === 'submitted') await memory.record({ type: 'submit_result', data: { summary: 'done' } })
  await memory.record({
    type: 'run_end',
    data: { reason: end, summary: end === 'loop' ? 'the same call again' : 'done' },
  })
  const file = { path: 'a.py', how: 'whole', project: null, written: null } as const
  await memory.record({ type: 'accepted', data: { files: [file], by: 'user' } })
  await memory.close()
}

async function storeWith(...ends: ('submitted' | 'loop')[]): Promise<Store> {
  const store = memoryStore()
  for (const [index, end] of ends.entries()) await agent(store, `agent-${index}`, end)
  return store
}

describe('report', () => {
  test('tells what was asked, done, changed, failed, and what it cost', async () => {
    const store = await storeWith('submitted', 'loop')
    const report = await makeReport(store, { prices, made: MADE })
    expect(report.totals).toMatchObject({
      agents: 2,
      failed: 1,
      open: 0,
      calls: 4,
      failed_calls: 2,
      prompt_tokens: 2_000,
      completion_tokens: 100,
      answer_ms: 3_000,
      tool_ms: 40,
      cost: 0.005,
    })
    expect(report.models).toMatchObject([{ model: 'small', requests: 2, counted_here: 0, cost: 0.005 }])
    expect(report.agents[1]).toMatchObject({
      outcome: 'failed',
      reason: 'loop',
      asked: { goal: HOSTILE, words: [{ text: 'Only a.py, please.', turn: 1 }] },
      changes: [{ path: 'a.py', kind: 'accepted' }],
      failures: [{ where: 'write_file' }, { where: 'run', message: 'loop: the same call again' }],
    })
    for (const { seq } of report.agents[0]?.steps ?? []) {
      const [event] = await collect(store.read('agent-0', { from: seq, to: seq }))
      expect(event?.type).toBe('tool_result')
    }
  })

  test('an agent that was resumed after its end is told of as it stands now', async () => {
    const store = await storeWith('loop')
    const memory = await Memory.open({ store, agentId: 'agent-0' })
    await memory.startTurn()
    await memory.recordRequest(await memory.prompt(), 'small')
    await memory.close()
    const { agents, totals } = await makeReport(store)
    expect(agents).toMatchObject([{ outcome: 'open', turns: 2 }])
    expect(totals).toMatchObject({ open: 1, failed: 0 })
    expect(agents[0]?.models).toMatchObject([{ requests: 2, counted_here: 1 }])
    expect(agents[0]?.models[0]).not.toHaveProperty('cost')
  })

  test('what got no answer has no tokens; what is done once is told once', async () => {
    const store = memoryStore()
    const memory = await Memory.open({ store, agentId: 'a', goal: 'Tidy up.' })
    for (const made of [
      { tool: 'write_file', args: { path: 'a.py', content: 'x = 1\n' } },
      { tool: 'run_command', args: { command: 'rm a.py' } },
    ]) {
      await memory.startTurn()
      await memory.recordRequest(await memory.prompt(), 'first-candidate')
      await memory.recordResult({ call: await memory.recordCall(made), returned: '' })
    }
    await memory.close()
    const report = await makeReport(store, { made: MADE })
    expect(report.agents[0]?.changes).toMatchObject([{ path: 'a.py', kind: 'removed', times: 1 }])
    expect(report.totals).toMatchObject({ prompt_tokens: 0, cost: 0 })
    expect(reportMarkdown(report)).toContain('no model was asked but the embedded one')
  })

  test('a call that changed several places of a file edited it once', async () => {
    const store = memoryStore()
    const memory = await Memory.open({ store, agentId: 'a', goal: 'Tidy up.' })
    const place = (at: number) => ({ kind: 'lines' as const, path: 'a.py', from: at, to: at, text: 'x = 1' })
    for (let times = 0; times < 2; times++) {
      await memory.startTurn()
      const call = await memory.recordCall({ tool: 'fix', args: {} })
      await memory.recordResult({
        call,
        returned: success(null, 'Fixed.', {}, { files: [place(1), place(9)] }),
      })
    }
    await memory.close()
    const { agents } = await makeReport(store)
    expect(agents[0]?.changes).toMatchObject([{ path: 'a.py', kind: 'edited', times: 2 }])
  })

  test('takes the logs that the filter means', async () => {
    const store = await storeWith('submitted', 'loop')
    const agents = async (filter: Parameters<typeof makeReport>[1]) =>
      (await makeReport(store, filter)).agents.map(({ agent_id }) => agent_id)
    expect(await agents({ agent_id: 'agent-1' })).toEqual(['agent-1'])
    expect(await agents({ operation: 'test' })).toEqual([])
    expect(await agents({ run_id: 'run-1' })).toHaveLength(2)
    expect(await agents({ since: '2100-01-01' })).toEqual([])
  })

  test.each([
    ['one', ['loop']],
    ['several', ['submitted', 'loop']],
  ] as const)('nothing that a log of %s says is more than text', async (_which, ends) => {
    const report = await makeReport(await storeWith(...ends), { made: MADE })
    const markdown = reportMarkdown(report)
    expect(markdown).not.toMatch(/\x1b|\u202e/)
    // Outside of indented blocks, which show everything as it is.
    const flowing = markdown.split('\n').filter((line) => !line.startsWith('    '))
    for (const line of flowing) expect(line).not.toMatch(/(?<!\\)<|(?<!\\)\[x\]|(?<!\\)\*\*bold/)
  })

  test('every table row has as many cells as its head', async () => {
    const markdown = reportMarkdown(await makeReport(await storeWith('submitted', 'loop')))
    let cells = 0
    for (const line of markdown.split('\n')) {
      if (!line.startsWith('|')) cells = 0
      else {
        const own = line.split(/(?<!\\)\|/).length
        if (cells > 0) expect(own).toBe(cells)
        cells = own
      }
    }
  })

  test('a report on nothing says so', async () => {
    const report = await makeReport(memoryStore())
    expect(reportMarkdown(report)).toContain('No agent fits.')
  })
})
