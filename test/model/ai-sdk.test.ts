import { APICallError } from '@ai-sdk/provider'
import { MockLanguageModelV4 } from 'ai/test'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { verifyLog } from '../../src/audit/verify.ts'
import { aiModel } from '../../src/model/ai-sdk.ts'
import { modelFaultOf } from '../../src/model/faults.ts'
import { startAgent } from '../../src/run/start.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { defineTool } from '../../src/tool/tool.ts'

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
}
const weather = defineTool({
  name: 'weather',
  description: 'Tells the weather.',
  effect: 'pure',
  input: z.strictObject({ city: z.string() }),
  run: ({ city }) => `${city}: 21 degrees`,
})

test.each(['packet', 'both'] as const)(
  'drives an agent, given the %s, and what it was sent verifies',
  async (context) => {
    const calls = [
      { toolName: 'weather', input: '{"city":"Rome"}' },
      { toolName: 'submit_result', input: '{"summary":"No umbrella."}' },
    ]
    const model = new MockLanguageModelV4({
      modelId: 'mock',
      doGenerate: async () => ({
        content: [
          {
            type: 'tool-call',
            toolCallId: `c${calls.length}`,
            ...(calls.shift() ?? { toolName: '', input: '' }),
          },
        ],
        finishReason: { unified: 'tool-calls', raw: undefined },
        usage,
        warnings: [],
      }),
    })
    const store = memoryStore()
    const given = { goal: 'Umbrella in Rome?', tools: [weather], store, context, agentId: 'a' }
    const { stop } = await startAgent({ ...given, model: aiModel(model, { temperature: 0 }) })
    expect(stop).toMatchObject({ reason: 'submitted', summary: 'No umbrella.' })
    const [first, second] = model.doGenerateCalls
    expect(first).toMatchObject({ temperature: 0, toolChoice: { type: 'required' } })
    expect(first?.tools?.map(({ name }) => name)).toEqual(['weather', 'submit_result'])
    expect(JSON.stringify(second?.prompt)).toContain('Rome: 21 degrees')
    expect(await verifyLog(store, 'a')).toMatchObject({ ok: true, prompts: 2 })
  },
)

test.each([
  [429, 'rate_limited', true],
  [401, 'unauthorized', false],
  [503, 'server_error', true],
])('an answer with status %i is the fault %s', async (statusCode, kind, retry) => {
  const model = new MockLanguageModelV4({
    doGenerate: async () => {
      const about = { url: 'http://127.0.0.1', requestBodyValues: { key: 'sk-not-to-be-kept' } }
      throw new APICallError({
        message: 'no',
        statusCode,
        responseBody: '{"error":{"message":"no"}}',
        ...about,
      })
    },
  })
  const packet = { turn: 1 } as never // the adapter reads its turn alone
  const prompt = { instructions: '', body: 'Hello', text: 'Hello', declarations: '', packet, tokens: 1 }
  const answer = aiModel(model).answer(
    { prompt, tools: [], callRequired: false },
    AbortSignal.timeout(60_000),
  )
  const thrown: unknown = await answer.catch((fault: unknown) => fault)
  expect(modelFaultOf(thrown)).toMatchObject({ kind, retry })
  expect(String(thrown)).not.toContain('sk-not-to-be-kept')
})
