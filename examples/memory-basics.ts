/**
 * An agent's memory in one file: record what happens, give the model the packet, stop, and go on later.
 * Run: node examples/memory-basics.ts
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jsonlStore, Memory } from 'twotrack'
import { partial, success } from 'twotrack/tool'

const folder = mkdtempSync(join(tmpdir(), 'twotrack-example-'))
const store = jsonlStore({ folder })

/** What the agent can do. A tool may return anything; these say themselves what the packet should learn. */
const tools: Record<string, () => unknown> = {
  run_tests: () =>
    partial({ passed: 10, failed: 1 }, '1 of 11 tests fails: test_total', { failing: 'test_total' }),
  read_file: () => 'def total(items):\n    return sum(item.price for item in items[1:])\n',
  edit_file: () => success(null, 'Changed total() in cart.py', { changed_file: 'cart.py' }),
}

async function turn(memory: Memory, tool: string, args: Record<string, string>): Promise<void> {
  await memory.startTurn()
  const prompt = await memory.prompt()
  await memory.recordRequest(prompt, 'your-model') // here a model would read prompt.text and choose a tool
  const call = await memory.recordCall({ tool, args })
  const returned = tools[tool]?.()
  await memory.recordResult({ call, returned })
}

const first = await Memory.open({ store, agentId: 'fix-total', goal: 'Make test_total pass.' })
await turn(first, 'run_tests', {})
await turn(first, 'read_file', { path: 'cart.py' })
await first.close()

// Another day, another process: no goal is needed, the log has it.
const later = await Memory.open({ store, agentId: 'fix-total' })
await turn(later, 'edit_file', { path: 'cart.py' })
await later.correct('user', 'Do not touch the tests.', {
  update_knowledge: { 'user said': 'Do not touch the tests.' },
})
await later.record({ type: 'run_end', data: { reason: 'submitted', summary: 'total() sums all items' } })

console.log((await later.prompt()).text)
console.log(`\n${later.head.seq} events in ${(await later.messages()).length} messages' worth of history.`)
await later.close()
await store.close()
rmSync(folder, { recursive: true })
