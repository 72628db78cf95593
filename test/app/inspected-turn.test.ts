import { expect, test } from 'vitest'
import { z } from 'zod'
import { InspectedLogs } from '../../src/app/inspected/log.ts'
import { otherPacket } from '../../src/app/inspected/overview.ts'
import { inShort } from '../../src/app/inspected/short.ts'
import { inspectedTurn } from '../../src/app/inspected/turn.ts'
import { scripted } from '../../src/model/scripted.ts'
import { startAgent } from '../../src/run/start.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { defineTool } from '../../src/tool/tool.ts'

const search = defineTool({
  name: 'search',
  description: 'Searches what was written about it, in all of the books that there are. '.repeat(20),
  effect: 'pure',
  input: z.strictObject({ deep: z.boolean(), for: z.string() }),
  run: () => 'nothing\n'.repeat(400),
})

test('the tokens of a turn are those of its packet, of which its limit holds, and arguments are said by their names', async () => {
  const store = memoryStore()
  await startAgent({
    ...{ agentId: 'reader', goal: 'Find it.', store, tools: [search] },
    model: scripted(Array.from({ length: 3 }, () => ({ tool: 'search', args: { deep: true, for: 'it' } }))),
    limits: { turnsMax: 3 },
  })
  const log = await new InspectedLogs(store).open('reader')
  const { tokens, steps, declarations } = await inspectedTurn(log, 3)
  expect(tokens + log.history.reader.count(declarations)).toBe(
    log.history.events.findLast((event) => event.type === 'model_request')?.data.prompt_tokens,
  )
  expect(steps.find(({ type }) => type === 'tool_call')?.text).toBe('deep=true for=it')
  const smaller = await otherPacket(log, 3, { limit: 400 })
  expect(smaller.tokens).toBeLessThanOrEqual(400)
  expect(smaller.before).toBe(tokens)
})

test('what failed in short is not the calls alone: a fault of the model is told as well', async () => {
  const store = memoryStore()
  const answer = () => Promise.reject(new Error('no such model here'))
  const model = { name: 'gone', format: 'text', answer } as const
  await startAgent({ agentId: 'reader', goal: 'Find it.', store, tools: [search], model })
  const { failed } = await inShort(await new InspectedLogs(store).open('reader'))
  expect(failed).toMatchObject([{ turn: 1, text: expect.stringContaining('no such model here') }])
})
