import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { AgentIndex } from '../../src/app/inspected/index.ts'
import { Memory } from '../../src/memory.ts'
import { jsonlStore } from '../../src/store/jsonl/jsonl.ts'
import { folderWith } from '../cli/run.ts'

function opened() {
  const folder = join(folderWith({}), '.agentfs')
  const store = jsonlStore({ folder })
  onTestFinished(() => store.close())
  const index = () => {
    const made = new AgentIndex(store, folder)
    onTestFinished(() => made.close())
    return made
  }
  return { folder, store, index }
}

const record = async (store: ReturnType<typeof jsonlStore>, agentId: string, goal: string, said = '') => {
  const memory = await Memory.open({ store, agentId, operation: 'fix', goal })
  if (said !== '') await memory.say(said)
  return memory
}
const names = ({ agents }: { agents: readonly { agent_id: string }[] }) => agents.map((one) => one.agent_id)

test('the list of agents is made of the logs, kept, and made again where a log has changed or is gone', async () => {
  const { folder, store, index } = opened()
  for (const name of ['a', 'b']) await (await record(store, name, `Goal of ${name}`)).close()
  const first = index()
  expect((await first.page({})).left).toBeUndefined()
  await first.refresh()
  expect(await first.page({})).toMatchObject({ total: 2, left: 0, standings: { open: 2 } })
  first.close()

  const second = index()
  expect(names(await second.page({}))).toEqual(['b', 'a'])
  const memory = await Memory.open({ store, agentId: 'a' })
  await memory.record({ type: 'run_end', data: { reason: 'submitted', summary: 'It is done.' } })
  await memory.close()
  rmSync(join(folder, 'traces/b.jsonl'))
  const page = await second.page({})
  expect(page.agents).toMatchObject([{ agent_id: 'a', standing: 'done', summary: 'It is done.' }])
  expect(page).toMatchObject({ total: 1, standings: { done: 1 } })
})

test('agents are found by words of their goal in any case, by standing, operation and time', async () => {
  const { store, index } = opened()
  await (await record(store, 'a', 'Fix the Parser 100%')).close()
  await (await record(store, 'b', '', 'Write docs for the parser')).close()
  const all = index()
  await all.refresh()
  const found = async (query: Parameters<AgentIndex['page']>[0]) => names(await all.page(query)).sort()
  expect(await found({ text: 'parser' })).toEqual(['a', 'b'])
  expect(await found({ text: 'PARSER docs' })).toEqual(['b'])
  expect(await found({ text: '100%' })).toEqual(['a'])
  expect(await found({ text: 'p_rser' })).toEqual([])
  expect(await found({ standing: 'done' })).toEqual([])
  expect(await found({ operation: 'fix', standing: 'open', since: '2026-01-01' })).toEqual(['a', 'b'])
  expect(await found({ from: 1, most: 1 })).toHaveLength(1)
})
