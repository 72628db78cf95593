import { expect, test } from 'vitest'
import { listAgents } from '../../src/app/agents.ts'
import { eventAt, eventsPage, rawBytes, searchRaw } from '../../src/app/events.ts'
import { promptsOf, replayIn, shownAfter } from '../../src/app/replay.ts'
import { turnsOf } from '../../src/app/turns.ts'
import { History } from '../../src/audit/history.ts'
import type { EventFor } from '../../src/core/event/event.ts'
import type { Store } from '../../src/core/store/store.ts'
import { Memory } from '../../src/memory.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { collect } from '../../src/testing/store-cases/case.ts'

const AGENT = 'agent'
const NOISE = 'compiled without a word\n'.repeat(400)

/** Two turns: a build whose output has one line that matters, then a call that fails. */
async function recorded(): Promise<Store> {
  const store = memoryStore()
  const memory = await Memory.open({ store, agentId: AGENT, goal: 'Make it build.', operation: 'build' })
  const outputs = [`${NOISE}ERROR: größe is undefined\n`, new Error('no such target')]
  for (const [at, output] of outputs.entries()) {
    await memory.startTurn()
    await memory.recordRequest(await memory.prompt(), 'small')
    const call = await memory.recordCall({ tool: 'build', args: { step: at } })
    await memory.recordResult({ call: call as EventFor<'tool_call'>, returned: output, durationMs: 5 })
  }
  await memory.record({ type: 'run_end', data: { reason: 'turn_limit', summary: '2 turns' } })
  await memory.close()
  return store
}

test('agents are listed with what became of them', async () => {
  expect((await listAgents(await recorded(), { operation: 'build' })).agents).toMatchObject([
    {
      name: AGENT,
      outcome: 'failed',
      reason: 'turn_limit',
      turns: 2,
      calls: 2,
      failed_calls: 1,
      tool_ms: 10,
    },
  ])
})

test('agents of one run are listed by node, whichever began first; the next page is what began before', async () => {
  const store = memoryStore()
  for (const [second, id] of ['c.py', 'a.py', 'b.py'].entries()) {
    const now = () => new Date(second * 1_000)
    await (
      await Memory.open({ store, agentId: id, goal: 'g', runId: 'r', node: { id, type: 'file' }, now })
    ).close()
  }
  const { agents } = await listAgents(store, {})
  expect(agents.map(({ node_id }) => node_id)).toEqual(['a.py', 'b.py', 'c.py'])
  const page = await listAgents(store, { most: 2 })
  const rest = await listAgents(store, { before: page.before ?? '' })
  const all = [...rest.agents, ...page.agents].map(({ node_id }) => node_id)
  expect(all.toSorted()).toEqual(['a.py', 'b.py', 'c.py'])
})

test('turns are told with their calls, tokens and events', async () => {
  const [start, first, second] = await turnsOf(await recorded(), AGENT)
  expect(start).toMatchObject({ turn: 0, from: 1, to: 1, calls: [] })
  expect(first).toMatchObject({ turn: 1, from: 2, to: 5, calls: [{ tool: 'build', outcome: 'success' }] })
  expect(first?.prompt_tokens).toBeGreaterThan(10)
  expect(second).toMatchObject({ turn: 2, calls: [{ tool: 'build', outcome: 'error', duration_ms: 5 }] })
})

test('what a person does afterwards takes no time of the last turn', async () => {
  const store = await recorded()
  const before = await turnsOf(store, AGENT)
  const later = new Date(Date.now() + 3_600_000)
  const memory = await Memory.open({ store, agentId: AGENT, now: () => later })
  await memory.record({ type: 'correction', data: { by: 'somebody', note: 'Seen.' } })
  await memory.close()
  const [, , last] = await turnsOf(store, AGENT)
  expect(last).toMatchObject({ to: 11, wall_ms: before[2]?.wall_ms })
})

test('events come page by page', async () => {
  const store = await recorded()
  const first = await eventsPage(store, AGENT, { most: 4 })
  expect(first.events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
  expect(first.next).toBe(5)
  const rest = await eventsPage(store, AGENT, { from: 5 })
  expect(rest.events.at(-1)?.type).toBe('run_end')
  expect(rest).not.toHaveProperty('next')
})

test('raw output is searched, and its bytes are given by range', async () => {
  const store = await recorded()
  const { matches } = await searchRaw(store, AGENT, 'größe')
  expect(matches[0]).toMatchObject({ seq: 5, turn: 1, line: 401, in: 'ERROR: größe is undefined' })
  const [{ from = 0, to = 0 } = {}] = matches
  const raw = await rawBytes(store, await eventAt(store, AGENT, 5), { from, to })
  expect(Buffer.from(raw.bytes).toString()).toBe('größe')
  expect(raw.total).toBe(Buffer.byteLength(`${NOISE}ERROR: größe is undefined\n`))
  expect(await searchRaw(store, AGENT, 'never said')).toEqual({ matches: [] })
  await expect(eventAt(store, AGENT, 99)).rejects.toThrow(/events 1 to 10; there is no event 99/)
})

test('packet and prompt at a place, with the limit of the run or another', async () => {
  const store = await recorded()
  const history = await History.open(store, AGENT)
  const own = await replayIn(history, { turn: 1 })
  expect(own).toMatchObject({ turn: 1, seq: 5, packet: { turn: 1 } })
  const small = await replayIn(history, { turn: 1, limit: 200 })
  expect(small.state.settings.packet_size_limit).toBe(200)
  expect(small.tokens).toBeLessThan(Math.min(201, own.tokens))
  // The last event is where it stands without a place, and each turn's prompt is the same as at its end.
  expect(await replayIn(history)).toMatchObject({ seq: 10 })
  expect(await collect(promptsOf(store, AGENT))).toContainEqual({ turn: 1, view: own.prompt })
})

test('which bytes of an output a packet showed', async () => {
  const store = await recorded()
  const [shown] = await shownAfter(store, AGENT, 1, 5)
  const whole = `${NOISE}ERROR: größe is undefined\n`
  expect(shown).toMatchObject({ seq: 5, bytes: Buffer.byteLength(whole) })
  const texts = shown?.shown
    .map(({ from, to }) => Buffer.from(whole).subarray(from, to).toString())
    .join('\n')
  expect(texts).toContain('ERROR: größe is undefined')
  expect(texts?.length).toBeLessThan(whole.length)
})
