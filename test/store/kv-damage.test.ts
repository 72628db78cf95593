import { describe, expect, it } from 'vitest'
import { getBlob, type Store } from '../../src/core/store/store.ts'
import { TwotrackError } from '../../src/errors.ts'
import { kvStore } from '../../src/store/kv/kv.ts'
import { hasCode } from '../../src/testing/store-cases/case.ts'
import { content, eachFlip, edit, rows, sampleFile, using } from './kv-sample.ts'

/** What reading a log gives until it fails. */
async function readUntilDamage(store: Store, agentId: string, from = 1) {
  const seqs: number[] = []
  try {
    for await (const event of store.read(agentId, { from })) seqs.push(event.seq)
  } catch (thrown) {
    if (thrown instanceof TwotrackError) return { seqs, code: thrown.code, line: thrown.details['line'] }
    throw thrown
  }
  return { seqs }
}

describe('damage to events', () => {
  it('finds every flipped bit of an event and says which event it is', async () => {
    const { file } = await sampleFile()
    const [row] = rows(file, `SELECT rowid FROM kv_store WHERE key LIKE 'trace:%:a:4'`)
    await using(file, async (store) => {
      await eachFlip(file, ['kv_store', 'value', Number(row?.['rowid'])], async (bit) => {
        expect(await readUntilDamage(store, 'a', 3), `bit ${bit}`).toEqual({
          seqs: [3],
          code: 'damaged',
          line: 4,
        })
      })
      expect(await readUntilDamage(store, 'a')).toEqual({ seqs: [1, 2, 3, 4] })
    })
  })

  it.each([
    ['a deleted row', `DELETE FROM kv_store WHERE key LIKE 'trace:%:a:2'`, 2],
    ['a row renamed', `UPDATE kv_store SET key = key || '9' WHERE key LIKE 'trace:%:a:3'`, 3],
    ['an event cut out of the order', `DELETE FROM twotrack_event WHERE agent = 'a' AND seq = 2`, 2],
    [
      'two events swapped',
      `UPDATE twotrack_event SET key = replace(key, ':' || seq, ':' || (5 - seq))
       WHERE agent = 'a' AND seq IN (2, 3)`,
      2,
    ],
    ['the last event cut off', `DELETE FROM twotrack_event WHERE agent = 'a' AND seq = 4`, undefined],
    [
      'the row of another event',
      `UPDATE kv_store SET value = (SELECT value FROM kv_store WHERE key LIKE 'trace:%:a:1')
       WHERE key LIKE 'trace:%:a:3'`,
      3,
    ],
    [
      'an event of another log',
      `UPDATE twotrack_event SET agent = 'a', seq = 5 WHERE agent = 'b' AND seq = 1`,
      undefined,
    ],
  ])('finds %s', async (_what, sql, line) => {
    const { file } = await sampleFile()
    edit(file, sql)
    await using(file, async (store) => {
      const seen = await readUntilDamage(store, 'a')
      if (line !== undefined) {
        expect(seen).toEqual({
          seqs: Array.from({ length: line - 1 }, (_, i) => i + 1),
          code: 'damaged',
          line,
        })
      }
      expect((await store.check()).filter(({ level }) => level === 'error')).not.toEqual([])
    })
  })

  it('appends nothing to a damaged end', async () => {
    const { file } = await sampleFile()
    edit(
      file,
      `UPDATE kv_store SET value = replace(value, '"by":"test"', '"by":"tess"') WHERE key LIKE 'trace:%:a:4'`,
    )
    await using(file, async (store) => {
      await expect(store.open('a')).rejects.toSatisfy(hasCode('damaged'))
      await expect(store.head('a')).rejects.toSatisfy(hasCode('damaged'))
      await (await store.open('b')).close()
    })
  })
})

describe('damage beside the events', () => {
  it('finds every flipped bit of an index row, its key included', async () => {
    const { file } = await sampleFile()
    const [row] = rows(file, `SELECT rowid FROM kv_store WHERE key LIKE 'index:node:%:1'`)
    const place = (column: string) => ['kv_store', column, Number(row?.['rowid'])] as const
    await using(file, async (store) => {
      await eachFlip(file, place('key'), async (bit) => {
        expect(await store.check(), `bit ${bit} of the key`).not.toEqual([])
      })
      await eachFlip(file, place('value'), async (bit) => {
        expect(await store.check(), `bit ${bit}`).not.toEqual([])
      })
      expect(await store.check()).toEqual([])
    })
  })

  it('lists what the logs say, whatever an index says, and tells of the index', async () => {
    const { file } = await sampleFile()
    const listed = await using(file, (store) => store.list({ run_id: 'run-1' }))
    const [row] = rows(file, `SELECT key FROM kv_store WHERE key LIKE 'index:node:%:1'`)
    const key = String(row?.['key'])
    for (const sql of [
      `UPDATE kv_store SET value = '"trace:forged:lint:x:1"' WHERE key = '${key}'`,
      `UPDATE kv_store SET value = '{}' WHERE key = '${key}'`,
      `DELETE FROM kv_store WHERE key = '${key}'`,
    ]) {
      edit(file, sql)
      await using(file, async (store) => {
        expect(await store.list({ run_id: 'run-1' })).toEqual(listed)
        expect(await store.check()).toMatchObject([{ level: 'error', where: key }])
      })
    }
  })

  it('builds an index anew when it was left out and is wanted again', async () => {
    const { file } = await sampleFile()
    edit(file, `UPDATE kv_store SET value = '{}' WHERE key LIKE 'index:run:%:1'`)
    for (const indexing of [['node'], ['node', 'run', 'operation']] as const) {
      const store = kvStore({ file, indexing })
      await (await store.open('a')).close()
      expect(await store.check()).toEqual([])
      await store.close()
    }
  })

  it.each([
    ['a missing index row', `DELETE FROM kv_store WHERE key LIKE 'index:operation:%:2'`],
    ['an index row of no log', `INSERT INTO kv_store (key, value) VALUES ('index:node:x:y:z:1', '{}')`],
    ['a log under the name of another', `UPDATE twotrack_event SET agent = 'c' WHERE agent = 'b'`],
    ['an event row of no log', `INSERT INTO kv_store (key, value) VALUES ('trace:x', '{}')`],
    ['a missing chunk', `DELETE FROM twotrack_chunk`],
  ])('reports %s', async (_what, sql) => {
    const { file } = await sampleFile()
    edit(file, sql)
    await using(file, async (store) => expect(await store.check()).not.toEqual([]))
  })

  it('lists a log whose first event is gone or damaged, and tells of it', async () => {
    const { file } = await sampleFile()
    for (const sql of [
      `UPDATE kv_store SET value = '{}' WHERE key LIKE 'trace:%:a:1'`,
      `DELETE FROM kv_store WHERE key LIKE 'trace:%:a:1'`,
    ]) {
      edit(file, sql)
      await using(file, async (store) => {
        expect((await store.list()).map(({ agent_id }) => agent_id)).toEqual(['a', 'b'])
        expect(await readUntilDamage(store, 'a')).toMatchObject({ code: 'damaged', line: 1 })
        expect(await store.check()).toMatchObject([{ level: 'error' }])
      })
    }
  })

  it('finds every flipped bit of a blob, and heals it when the bytes come again', async () => {
    const { file, blob } = await sampleFile()
    await using(file, async (store) => {
      for (const [table, column] of [
        ['twotrack_chunk', 'data'],
        ['twotrack_chunk', 'sha256'],
        ['twotrack_blob', 'sha256'],
      ] as const) {
        await eachFlip(file, [table, column, 1], async (bit) => {
          await expect(getBlob(store, blob.sha256), `${column} bit ${bit}`).rejects.toThrow(TwotrackError)
        })
      }
      for (const sql of ['UPDATE twotrack_blob SET bytes = bytes - 1', 'UPDATE twotrack_chunk SET n = 1']) {
        edit(file, sql)
        await expect(getBlob(store, blob.sha256)).rejects.toSatisfy(hasCode('damaged'))
        await store.putBlob(content, 'text')
        expect(await getBlob(store, blob.sha256)).toEqual(content)
        expect(await store.check()).toEqual([])
      }
    })
  })
})
