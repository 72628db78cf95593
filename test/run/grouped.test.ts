import { expect, test } from 'vitest'
import type { Store } from '../../src/core/store/store.ts'
import { scripted } from '../../src/model/scripted.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { countingTools, run, submits } from './agent-run.ts'

test('a run writes the events between two effects together, and each before what it leads to', async () => {
  const store = memoryStore()
  const written: string[][] = []
  const watched: Store = {
    ...store,
    open: async (agent) => {
      const { append, ...writer } = await store.open(agent)
      return {
        ...writer,
        append: (events, seq) => {
          written.push(events.map(({ event }) => event.type))
          return append(events, seq)
        },
      }
    },
  }
  await run({
    store: watched,
    model: scripted([{ tool: 'look', args: { what: 'a' } }, submits]),
    tools: countingTools().tools,
  })
  expect(written).toEqual([
    ['run_start', 'turn_start', 'model_request'],
    ['model_response', 'tool_call'],
    ['tool_result', 'turn_start', 'model_request'],
    ['model_response', 'tool_call'],
    ['tool_result', 'submit_result', 'run_end'],
  ])
})
