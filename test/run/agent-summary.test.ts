import { expect, test } from 'vitest'
import { makeReport } from '../../src/audit/report/make.ts'
import { TwotrackError } from '../../src/errors.ts'
import { Memory } from '../../src/memory.ts'
import { agentSummary, readAgentSummary, unfinished } from '../../src/run/agent-summary.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { collect } from '../../src/testing/store-cases/case.ts'

async function logWith(...data: { reason: 'submitted' | 'loop' | 'imported'; failed?: true }[]) {
  const store = memoryStore()
  const memory = await Memory.open({ store, agentId: 'a', goal: 'g' })
  for (const end of data) {
    await memory.startTurn()
    await memory.recordResult({
      call: await memory.recordCall({ tool: 'look', args: {} }),
      returned: 'out',
      durationMs: 7,
    })
    await memory.record({ type: 'run_end', data: { ...end, summary: end.reason } })
  }
  return { store, memory }
}

const read = async ({ store }: Awaited<ReturnType<typeof logWith>>) => {
  const [entry] = await store.list()
  if (!entry) throw new Error('no log')
  return readAgentSummary(store, entry)
}

test('an agent that handed in a result which does not hold has failed, for run and for report', async () => {
  const log = await logWith({ reason: 'submitted', failed: true })
  const summary = await read(log)
  expect(summary).toMatchObject({ outcome: 'failed', reason: 'submitted', turns: 1, calls: 1, tool_ms: 7 })
  // Its work is whole all the same: there is nothing to go on with.
  expect(unfinished(summary)).toBeUndefined()
  expect((await makeReport(log.store)).totals).toMatchObject({ agents: 1, failed: 1, open: 0 })
})

test('what is said after its end does not make an agent go on, and its next turn does', async () => {
  const log = await logWith({ reason: 'loop' })
  await log.memory.correct('user', 'try the other file')
  await log.memory.say('and hurry')
  const ended = await read(log)
  expect(ended).toMatchObject({ outcome: 'failed', reason: 'loop' })
  expect(unfinished(ended)).toBe('ended with loop')
  await log.memory.startTurn()
  const open = await read(log)
  expect(open).toMatchObject({ outcome: 'open', turns: 2 })
  expect(open).not.toHaveProperty('reason')
  expect(unfinished(open)).toBe('killed, or still at work')
})

test('an agent is told of as its last end says', async () => {
  expect(await read(await logWith({ reason: 'loop' }, { reason: 'submitted' }))).toMatchObject({
    outcome: 'done',
    calls: 2,
  })
  expect(await read(await logWith({ reason: 'imported' }))).toMatchObject({ outcome: 'done' })
})

test('a log is told of as far as it can be read', async () => {
  const { store } = await logWith({ reason: 'submitted' })
  const [entry] = await store.list()
  const events = await collect(store.read('a'))
  const broken = {
    ...store,
    async *read() {
      yield* events.slice(0, 3)
      throw new TwotrackError('damaged', 'line 4 is damaged')
    },
  }
  if (!entry) throw new Error('no log')
  expect(await readAgentSummary(broken, entry)).toEqual({
    ...events.slice(0, 3).reduce(agentSummary, undefined as never),
    outcome: 'damaged',
    standing: 'damaged',
    summary: 'line 4 is damaged',
  })
})
