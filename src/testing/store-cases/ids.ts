import assert from 'node:assert/strict'
import { ID_CHARS_MAX } from '../../limits.ts'
import { collect, listed, type StoreCases, write } from './case.ts'

const long = 'x'.repeat(ID_CHARS_MAX - 1)

/**
 * Ids that differ, yet fall together in one careless encoding or another, or lead out of a folder.
 * @internal
 */
export const hostileIds: readonly string[] = [
  ...'a A a:b a/b a\\b a_b a%3ab a%3Ab a%b a%25b . .. ../escape ../../escape /absolute .hidden a.jsonl'.split(
    ' ',
  ),
  ...'a.jsonl.lock con é e\u0301 ß ẞ 名前 🙂 \ud83d \ufffd a~b a"b a*?<>|b a_%b __proto__ constructor'.split(
    ' ',
  ),
  ...[' ', ' a', 'a ', 'a b', 'a\nb', 'a\u0000b', "a'b"],
  ...[`${long}y`, `${long}z`, `${long.toUpperCase()}z`, '🙂'.repeat(ID_CHARS_MAX / 2)],
]

const cartesian: readonly [string, string][] = [
  ['a:b', 'c'],
  ['a', 'b:c'],
  ['a/b', 'c'],
  ['a', 'b/c'],
  ['a::', 'c'],
  ['a', '::c'],
]

export const idCases: StoreCases = {
  'keeps the logs of all ids apart': async ({ store }) => {
    for (const [i, id] of hostileIds.entries()) await write(store, id, 2, { note: `log ${i}` })
    for (const [i, id] of hostileIds.entries()) {
      const read = await collect(store.read(id))
      assert.deepEqual(
        read.map((event) => [event.agent_id, event.seq, event.type === 'correction' && event.data.note]),
        [
          [id, 1, `log ${i}`],
          [id, 2, `log ${i}`],
        ],
      )
    }
    assert.deepEqual((await listed(store)).sort(), [...hostileIds].sort())
    assert.deepEqual(await store.check(), [])
  },
  'keeps the index entries of all ids apart': async ({ store }) => {
    for (const [i, id] of hostileIds.entries()) {
      await write(store, `agent-${i}`, 1, { node_id: id, run_id: id, operation: id })
    }
    for (const [i, id] of hostileIds.entries()) {
      for (const filter of [{ node_id: id }, { run_id: id }, { operation: id }]) {
        assert.deepEqual(await listed(store, filter), [`agent-${i}`], JSON.stringify(filter))
      }
    }
  },
  'keeps pairs of ids apart that would be equal when joined': async ({ store }) => {
    for (const [i, [run_id, operation]] of cartesian.entries()) {
      await write(store, `agent-${i}`, 1, { run_id, operation, node_id: 'c' })
    }
    for (const [i, [run_id, operation]] of cartesian.entries()) {
      assert.deepEqual(await listed(store, { run_id, operation }), [`agent-${i}`])
    }
  },
}
