import { expect, test } from 'vitest'
import { z } from 'zod'
import { messagesOf } from '../../../src/core/memory/messages.ts'
import { firstCandidate } from '../../../src/model/first-candidate.ts'
import { startAgent } from '../../../src/run/start.ts'
import { memoryStore } from '../../../src/store/memory.ts'
import { defineTool } from '../../../src/tool/tool.ts'

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  effect: 'pure',
  input: z.strictObject({}),
  run: () => 'all is well',
})

test('the transcript has as words of the user what a person said, and nothing that rules or context brought', async () => {
  const store = memoryStore()
  const { agent_id } = await startAgent({
    goal: 'Look at it.',
    instructions: 'Be brief.',
    store,
    model: firstCandidate(),
    tools: [look],
    contextProviders: [() => ({ weather: 'sunny' })],
    candidates: ({ calls }) => [
      calls['look'] === 0
        ? { tool: 'look', args: {}, reason: 'first' }
        : { tool: 'submit_result', args: { summary: 'Looked.' }, reason: 'then' },
    ],
  })
  // They are in the log, but not in the conversation.
  const types: string[] = []
  for await (const { type } of store.read(agent_id)) types.push(type)
  expect(types.filter((type) => type === 'candidates').length).toBeGreaterThan(1)
  const messages = await messagesOf(store, agent_id)
  expect(messages.map(({ role }) => role)).toEqual([
    'system',
    'user',
    'assistant',
    'tool',
    'assistant',
    'tool',
  ])
  expect(messages[1]).toEqual({ role: 'user', content: 'Look at it.' })
  expect(JSON.stringify(messages)).not.toMatch(/candidate actions|known before|where the work stands|sunny/)
})
