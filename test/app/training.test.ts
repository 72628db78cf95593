import { expect, test } from 'vitest'
import { type TrainingCount, type TrainingRow, trainingRows } from '../../src/app/training.ts'
import { Memory } from '../../src/memory.ts'
import { memoryStore } from '../../src/store/memory.ts'

/** One turn: what was served, what was answered, what the call came to. */
async function turn(memory: Memory, format: string, sent: string, completion: string, returned: unknown) {
  await memory.startTurn()
  await memory.recordRequest(await memory.prompt(), 'm', { format, text: sent })
  await memory.recordResponse({
    model: 'm',
    calls: [{ call_id: completion, tool: 'look', args: {} }],
    completion,
  })
  const call = await memory.recordCall({ tool: 'look', args: {}, callId: completion })
  await memory.recordResult({ call, returned })
}

async function rowsOf(format: 'functiongemma-sft' | 'openai-sft') {
  const store = memoryStore()
  const memory = await Memory.open({ store, agentId: 'a', goal: 'Look at it' })
  await turn(memory, 'functiongemma/1', '<start>one', 'call:look{}', 'seen')
  await turn(memory, 'functiongemma/1', '<start>two', 'call:look{2}', new Error('no such file'))
  await turn(memory, 'functiongemma/1', '<start>one', 'call:look{}', 'seen')
  const body = JSON.stringify({ messages: [{ role: 'user', content: 'ü' }], tools: [] })
  await turn(memory, 'chat/1', body, '{"choices":[]}', 'seen')
  await memory.close()
  const count: TrainingCount = { kept: 0, left_out: {} }
  const rows: TrainingRow[] = []
  for await (const row of trainingRows(store, 'a', format, new Set(), count)) rows.push(row)
  return { rows, count }
}

test('a turn that went well is a row of the very bytes; failures, duplicates and other formats are left out and counted', async () => {
  const { rows, count } = await rowsOf('functiongemma-sft')
  expect(rows).toMatchObject([{ turn: 1, prompt: '<start>one', completion: 'call:look{}' }])
  expect(count).toEqual({
    kept: 1,
    left_out: { 'a call failed': 1, 'the same as another': 1, 'served as chat/1': 1 },
  })
})

test('a chat is its body with messages and tools, and the body that answered it', async () => {
  const { rows } = await rowsOf('openai-sft')
  expect(rows).toMatchObject([
    {
      turn: 4,
      prompt: { messages: [{ role: 'user', content: 'ü' }], tools: [] },
      completion: { choices: [] },
    },
  ])
  expect(new Set(rows.map(({ split }) => split)).size).toBe(1)
})
