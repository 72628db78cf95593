import { expect, test } from 'vitest'
import { verifyLog } from '../../src/audit/verify.ts'
import { longRun } from './long-run.ts'

const TURNS = 200
const BUDGET = 2_000

test('with the packet, prompts stay within their budget over 200 turns and do not grow', async () => {
  const { stop, prompt_tokens, store, agent_id } = await longRun(TURNS, 'packet', BUDGET)
  expect(stop.reason).toBe('submitted')
  expect(prompt_tokens).toHaveLength(TURNS)
  expect(Math.max(...prompt_tokens)).toBeLessThanOrEqual(BUDGET)
  // Once it is full, the last hundred prompts are no larger than the hundred before them.
  const largest = (from: number, to: number) => Math.max(...prompt_tokens.slice(from, to))
  expect(largest(100, 200)).toBeLessThanOrEqual(largest(0, 100) * 1.05)
  expect((await verifyLog(store, agent_id)).findings).toEqual([])
}, 180_000)

test.each(['messages', 'both'] as const)(
  'with %s, the oldest turns are left out where the transcript would go past the budget',
  async (context) => {
    const { stop, prompt_tokens, store, agent_id } = await longRun(40, context, BUDGET)
    expect(stop.reason).toBe('submitted')
    expect(Math.max(...prompt_tokens)).toBeLessThanOrEqual(BUDGET)
    const shortened: unknown[] = []
    for await (const event of store.read(agent_id))
      if (event.type === 'model_request') shortened.push(event.data.transcript)
    expect(shortened[0]).toEqual({ left_out: 0 })
    expect(shortened.at(-1)).toMatchObject({ left_out: expect.any(Number) })
    if (context === 'messages') expect(shortened.at(-1)).toEqual({ left_out: 36 })
    expect((await verifyLog(store, agent_id)).findings).toEqual([])
  },
)

test('one turn that is larger than the budget is given without the middle of its messages', async () => {
  const { stop, prompt_tokens, store, agent_id } = await longRun(3, 'messages', 500)
  expect(stop.reason).toBe('submitted')
  expect(Math.max(...prompt_tokens)).toBeLessThanOrEqual(500)
  const last = []
  for await (const event of store.read(agent_id))
    if (event.type === 'model_request') last.push(event.data.transcript)
  expect(last.at(-1)).toEqual({ left_out: 1, chars_max: 500 })
  expect((await verifyLog(store, agent_id)).findings).toEqual([])
})
