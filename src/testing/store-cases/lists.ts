import assert from 'node:assert/strict'
import { RUNS, runLogOf } from '../../core/store/log-entry.ts'
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
  'gives the newest first, page after page, by any filter': async ({ store }) => {
    for (const [i, { agent, ...ids }] of logs.entries())
      await write(store, agent, 2, { ...ids, start: `2026-01-01T00:0${i >> 1}:00.000Z` })
    for (const [filter, expected] of filters) {
      const oldestFirst = await listed(store, filter)
      assert.deepEqual(oldestFirst.toSorted(), expected.toSorted())
      const found: string[] = []
      for (let page = await store.newest(filter, { limit: 2 }); page.length > 0; ) {
        assert.ok(page.length <= 2)
        found.push(...page.map(({ agent_id }) => agent_id))
        const [before] = page.slice(-1)
        page = before ? await store.newest(filter, { limit: 2, before }) : []
      }
      assert.deepEqual(found, oldestFirst.toReversed(), JSON.stringify(filter))
    }
  },
  'names logs of runs only where they are asked for': async ({ store }) => {
    await write(store, 'a', 1)
    await write(store, runLogOf('run-1'), 1, { run_id: 'run-1', operation: RUNS })
    assert.deepEqual(await listed(store), ['a'])
    assert.deepEqual(await listed(store, { run_id: 'run-1' }), ['a'])
    assert.deepEqual(await listed(store, { operation: RUNS }), [runLogOf('run-1')])
    assert.equal((await store.newest({}, { limit: 5 })).length, 1)
    const all: string[] = []
    for await (const { agent_id } of store.each()) all.push(agent_id)
    assert.deepEqual(all.sort(), ['a', runLogOf('run-1')])
  },
}
