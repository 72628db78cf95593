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
  'with %s, every prompt is larger than the one before',
  async (context) => {
    const { stop, prompt_tokens, store, agent_id } = await longRun(40, context, BUDGET)
    expect(stop.reason).toBe('submitted')
    for (const [at, tokens] of prompt_tokens.entries()) {
      const before = prompt_tokens[at - 1] ?? 0
      if (context === 'messages') expect(tokens).toBeGreaterThan(before)
      else expect(tokens).toBeGreaterThan(before - BUDGET)
    }
    expect(prompt_tokens.at(-1)).toBeGreaterThan(5 * BUDGET)
    expect((await verifyLog(store, agent_id)).findings).toEqual([])
  },
)
