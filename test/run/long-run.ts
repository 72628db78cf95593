import { z } from 'zod'
import type { Store } from '../../src/core/store/store.ts'
import { scripted } from '../../src/model/scripted.ts'
import type { AgentRun } from '../../src/run/run.ts'
import { startAgent } from '../../src/run/start.ts'
import type { Stop } from '../../src/run/state.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { defineTool } from '../../src/tool/tool.ts'

export interface LongRun {
  readonly stop: Stop
  readonly store: Store
  readonly agent_id: string
  /** Of each prompt, in order. */
  readonly prompt_tokens: readonly number[]
}

/** A test run that prints what test runs print: much, and the failures in the middle of it. */
const runTests = defineTool({
  name: 'run_tests',
  description: 'Runs the tests of one module.',
  effect: 'pure',
  input: z.strictObject({ module: z.string() }),
  run: ({ module }) => noise(module),
})

function noise(module: string): string {
  const passed = Array.from({ length: 24 }, (_, at) => `test_value_${at} (${module} with case ${at}) ... ok`)
  const failure = [
    `tests/${module}/test_total.py::test_total FAILED`,
    `E   AssertionError: assert total_of_${module}(3) == 6`,
    `src/${module}/total.py:${module.length + 12}: AssertionError`,
  ]
  return [...passed.slice(0, 12), ...failure, ...passed.slice(12), '1 failed, 24 passed in 0.31s'].join('\n')
}

/** The same work of so many turns, with the packet, the transcript or both. */
export async function longRun(turns: number, context: AgentRun['context'], budget = 2_000): Promise<LongRun> {
  const agent_id = `long-${context}`
  const store = memoryStore()
  const model = scripted((_, index) =>
    index < turns - 1
      ? { tool: 'run_tests', args: { module: `module_${index}` } }
      : { tool: 'submit_result', args: { summary: 'All modules were tested.' } },
  )
  const { stop } = await startAgent({
    store,
    agentId: agent_id,
    goal: 'Run the tests of every module and report what fails.',
    instructions: 'Do what the goal says.',
    tools: [runTests],
    model: { ...model, format: 'chat/1' },
    promptBudget: budget,
    context,
    limits: { turnsMax: turns },
  })
  const prompt_tokens: number[] = []
  for await (const event of store.read(agent_id))
    if (event.type === 'model_request') prompt_tokens.push(event.data.prompt_tokens)
  return { stop, store, agent_id, prompt_tokens }
}
