import assert from 'node:assert/strict'
import type { StoreCase } from './case.ts'

const agent = 'agent-1'
const snapshot = (seq: number) => ({ seq, hash: String(seq).padStart(64, '0'), state: `{"at":${seq}}` })

export const snapshotCases: readonly StoreCase[] = [
  {
    name: 'finds the newest snapshot up to a seq',
    async run({ store }) {
      assert.equal(await store.getSnapshot(agent, 100), undefined)
      for (const seq of [300, 9, 100]) await store.putSnapshot(agent, snapshot(seq))
      assert.equal(await store.getSnapshot(agent, 8), undefined)
      assert.deepEqual(await store.getSnapshot(agent, 9), snapshot(9))
      assert.deepEqual(await store.getSnapshot(agent, 99), snapshot(9))
      assert.deepEqual(await store.getSnapshot(agent, 299), snapshot(100))
      assert.deepEqual(await store.getSnapshot(agent, Number.MAX_SAFE_INTEGER), snapshot(300))
      assert.equal(await store.getSnapshot('agent-2', 300), undefined)
    },
  },
  {
    name: 'replaces a snapshot of the same seq',
    async run({ store }) {
      await store.putSnapshot(agent, snapshot(5))
      const other = { ...snapshot(5), hash: 'f'.repeat(64), state: 'another history, é\n' }
      await store.putSnapshot(agent, other)
      assert.deepEqual(await store.getSnapshot(agent, 5), other)
    },
  },
]
