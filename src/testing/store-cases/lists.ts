import assert from 'node:assert/strict'
import type { LogFilter } from '../../core/store/store.ts'
import { sampleLog } from '../sample-log.ts'
import { listed, type StoreCases, write } from './case.ts'

const logs = [
  { agent: 'c', node_id: 'src/a.ts:f', run_id: 'run-1', operation: 'lint' },
  { agent: 'a', node_id: 'src/a.ts:f', run_id: 'run-1', operation: 'test' },
  { agent: 'd', node_id: 'src/a.ts:f', run_id: 'run-2', operation: 'lint' },
  { agent: 'b', node_id: 'src/b.ts:C.g', run_id: 'run-2', operation: 'lint' },
] as const

const filters: readonly [LogFilter, string[]][] = [
  [{}, ['c', 'a', 'd', 'b']],
  [{ node_id: 'src/a.ts:f' }, ['c', 'a', 'd']],
  [{ run_id: 'run-2' }, ['d', 'b']],
  [{ operation: 'lint' }, ['c', 'd', 'b']],
  [{ node_id: 'src/a.ts:f', operation: 'lint' }, ['c', 'd']],
  [{ node_id: 'src/a.ts:f', run_id: 'run-2' }, ['d']],
  [{ run_id: 'run-1', operation: 'test' }, ['a']],
  [{ node_id: 'src/a.ts:f', run_id: 'run-2', operation: 'lint' }, ['d']],
  [{ node_id: 'src/b.ts:C.g', run_id: 'run-1' }, []],
  [{ node_id: 'src/a.ts' }, []],
  [{ run_id: 'run' }, []],
]

export const listCases: StoreCases = {
  'lists logs by node, run, operation and any combination, oldest first': async ({ store }) => {
    for (const [i, { agent, ...ids }] of logs.entries()) {
      await write(store, agent, 2, { ...ids, start: `2026-01-01T00:0${i}:00.000Z` })
    }
    for (const [filter, expected] of filters) {
      assert.deepEqual(await listed(store, filter), expected, JSON.stringify(filter))
    }
  },
  'lists what the first event of a log says': async ({ store }) => {
    await write(store, 'a', 3, { run_id: 'run-7', operation: 'docstring', node_id: 'src/x.py:f' })
    assert.deepEqual(await store.list(), [
      {
        agent_id: 'a',
        run_id: 'run-7',
        operation: 'docstring',
        node_id: 'src/x.py:f',
        created: '2026-01-01T00:00:00.000Z',
      },
    ])
  },
  'lists a log while it is being written, once': async ({ store }) => {
    const events = sampleLog('a', 4)
    const writer = await store.open('a')
    for (const [i, event] of events.entries()) {
      await writer.append([event], i)
      assert.equal((await store.list({ run_id: 'run-1' })).length, 1)
    }
    await writer.close()
  },
  'orders logs of the same instant by agent id': async ({ store }) => {
    for (const agent of ['b', 'c', 'a']) await write(store, agent, 1)
    assert.deepEqual(await listed(store), ['a', 'b', 'c'])
  },
}
