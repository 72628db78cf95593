import { copyFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { kvStore } from '../../src/store/kv/kv.ts'
import { sampleLog } from '../../src/testing/sample-log.ts'
import { append, call, rows, sealed, temporaryFolder, using } from './kv-sample.ts'

describe('commits of the kv store', () => {
  it('are shared by appends that wait together, of one log or of many', async () => {
    const folder = temporaryFolder()
    const agents = ['a', 'b', 'c', 'd']
    const written = async (name: string, wait: boolean) => {
      const file = join(folder, name)
      const store = kvStore({ file })
      const writers = await Promise.all(agents.map((agent) => store.open(agent)))
      const before = statSync(`${file}-wal`).size
      const waiting: Promise<void>[] = []
      for (const [i, writer] of writers.entries()) {
        for (const [seq, event] of sampleLog(agents[i] ?? '', 20).entries()) {
          const appended = writer.append([event], seq)
          if (wait) await appended
          waiting.push(appended)
        }
      }
      await Promise.all(waiting)
      const bytes = statSync(`${file}-wal`).size - before
      await store.close()
      return bytes
    }
    // Every transaction writes each page that it changed once: 80 of them write many times what one does.
    expect(await written('one by one.db', true)).toBeGreaterThan(5 * (await written('together.db', false)))
  })

  it('reach the file itself within the interval', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'store.db')
    const store = kvStore({ file, durability: { interval_ms: 10 } })
    await append(store, 'a', sampleLog('a', 3))
    // The copy has no write-ahead log beside it: it holds what a checkpoint has synced.
    for (let seen = 0; seen < 3; await sleep(5)) {
      const copy = join(folder, 'copy.db')
      copyFileSync(file, copy)
      seen = await using(copy, async (other) => ((await other.head('a')) ? 3 : 0))
    }
    await store.close()
  })
})

describe('indexes of the kv store', () => {
  const indexKeys = (file: string) =>
    rows(file, `SELECT key FROM kv_store WHERE key LIKE 'index:%' ORDER BY key`).map((row) => row['key'])

  it('are those that were asked for, for logs of any age', async () => {
    const file = join(temporaryFolder(), 'store.db')
    const first = kvStore({ file, indexing: ['run'] })
    await append(first, 'a', sampleLog('a', 1))
    expect(indexKeys(file)).toEqual(['index:run:run-1:lint:src%2fa.ts%3af:1'])
    expect(await first.list({ node_id: 'src/a.ts:f' })).toHaveLength(1)
    // A store that keeps other indexes changes them for both.
    const second = kvStore({ file, indexing: ['node', 'operation'] })
    await append(second, 'b', sampleLog('b', 2))
    await append(first, 'c', sampleLog('c', 3))
    const expected = ['node:src%2fa.ts%3af:run-1:lint', 'operation:lint:run-1:src%2fa.ts%3af'].flatMap((id) =>
      [1, 2, 3].map((turn) => `index:${id}:${turn}`),
    )
    expect(indexKeys(file)).toEqual(expected)
    for (const store of [first, second]) {
      expect(await store.list({ run_id: 'run-1' })).toHaveLength(3)
      expect(await store.list({ operation: 'lint' })).toHaveLength(3)
      expect(await store.check()).toEqual([])
      await store.close()
    }
  })

  it('name the key of each turn once, and that key begins those of its events', async () => {
    const file = join(temporaryFolder(), 'store.db')
    const ids = ['1', '2'].map((id) => call(id, 'search', { query: id }))
    const events = sealed('a', [...ids, ...ids])
    await using(file, (store) => append(store, 'a', events))
    const listed = rows(
      file,
      `SELECT value FROM kv_store WHERE key LIKE 'index:node:src\\%2fa.py%' ESCAPE '\\'`,
    )
    const turns = listed.map((row) => JSON.parse(String(row['value'])))
    expect(turns).toEqual([1, 2].map((turn) => `trace:run-1:lint:src%2fa.py%3a%43.f:${turn}`))
    for (const turn of turns)
      expect(
        rows(file, `SELECT key FROM kv_store WHERE key >= '${turn}:' AND key < '${turn};'`),
      ).toHaveLength(2)
  })
})
