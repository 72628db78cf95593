import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { scripted } from '../../src/model/scripted.ts'
import { startAgent } from '../../src/run/start.ts'
import { jsonlStore } from '../../src/store/jsonl/jsonl.ts'
import { layoutOf } from '../../src/store/jsonl/layout.ts'
import { inOtherView } from '../audit/recorded.ts'
import { scratchFolder } from '../store/jsonl/scratch.ts'

test('an agent whose view is not known here is not gone on with, and nothing is written into its log', async () => {
  const folder = await scratchFolder()
  const store = jsonlStore({ folder })
  const run = (turnsMax: number) =>
    startAgent({
      ...{ agentId: 'a', goal: 'Fix it', store, tools: [], limits: { turnsMax } },
      model: scripted([{ text: 'I think.' }, { text: 'I think on.' }]),
    })
  await run(1)
  const log = layoutOf(folder).log('a')
  await inOtherView(store, 'a', log)
  const before = readFileSync(log, 'utf8')
  await expect(run(5)).rejects.toMatchObject({ code: 'unknown_view' })
  expect(readFileSync(log, 'utf8')).toBe(before)
  await store.close()
})
