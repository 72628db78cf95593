import { copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { getBlob } from '../../src/core/store/store.ts'
import { TwotrackError } from '../../src/errors.ts'
import { kvStore } from '../../src/store/kv/kv.ts'
import { sampleLog } from '../../src/testing/sample-log.ts'
import { collect, hasCode } from '../../src/testing/store-cases/case.ts'
import {
  append,
  content,
  damageLog,
  edit,
  flipped,
  rows,
  sampleFile,
  temporaryFolder,
  using,
} from './kv-sample.ts'

describe('damage to the file itself', () => {
  it('never gives wrong events for a flipped bit anywhere in the file', async () => {
    const { file, blob } = await sampleFile()
    const seed = Number(process.env['SEED'] ?? 20261115)
    const flips = Number(process.env['TWOTRACK_FLIPS'] ?? 150)
    const intact = readFileSync(file)
    const damaged = join(temporaryFolder(), 'damaged.db')
    let state = seed
    let noticed = 0
    for (let i = 0; i < flips; i++) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      const bit = Math.floor((state / 2 ** 32) * intact.length * 8)
      writeFileSync(damaged, flipped(intact, bit))
      const outcome = await using(damaged, async (store) => {
        const findings = await store.check()
        if (findings.length > 0) return 'noticed'
        expect((await collect(store.read('a'))).map(({ hash }) => hash)).toEqual(
          damageLog.map(({ event }) => event.hash),
        )
        expect(await collect(store.read('b'))).toHaveLength(3)
        expect(await getBlob(store, blob.sha256)).toEqual(content)
        return 'harmless'
      }).catch((thrown) => {
        if (thrown instanceof TwotrackError) return 'noticed'
        throw new Error(`seed ${seed}, bit ${bit}`, { cause: thrown })
      })
      if (outcome === 'noticed') noticed++
    }
    expect(noticed, `seed ${seed}`).toBeGreaterThan(0)
  })

  it.each([
    ['text', Buffer.from('{"header":{}}\n'.repeat(100)), 'damaged'],
    [
      'a first page that is damaged',
      Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(4080, 7)]),
      'damaged',
    ],
  ] as const)('refuses %s and leaves it as it is', async (_what, bytes, code) => {
    const file = join(temporaryFolder(), 'store.db')
    writeFileSync(file, bytes)
    await using(file, async (store) => {
      await expect(store.list()).rejects.toSatisfy(hasCode(code))
      await expect(store.open('a')).rejects.toSatisfy(hasCode(code))
      await expect(store.putBlob(content, 'text')).rejects.toSatisfy(hasCode(code))
    })
    expect(readFileSync(file).equals(bytes)).toBe(true)
  })

  it.each([
    ['a database of something else', 'CREATE TABLE theirs (a)', 'bad_argument'],
    ['a newer schema of twotrack', 'UPDATE twotrack_schema SET version = 3', 'newer_version'],
  ] as const)('refuses %s and leaves it as it is', async (_what, sql, code) => {
    const file = join(temporaryFolder(), 'store.db')
    if (code !== 'bad_argument') copyFileSync((await sampleFile()).file, file)
    edit(file, sql)
    const before = readFileSync(file)
    await using(file, async (store) => {
      await expect(store.list()).rejects.toSatisfy(hasCode(code))
      await expect(store.open('a')).rejects.toSatisfy(hasCode(code))
    })
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  it.skipIf(process.platform === 'win32')(
    "is the owner's alone, with all that SQLite puts beside it",
    async () => {
      const before = process.umask(0)
      try {
        const folder = temporaryFolder()
        await using(join(folder, 'sub', 'store.db'), async (store) => {
          await append(store, 'a', sampleLog('a', 2))
          expect(statSync(join(folder, 'sub')).mode & 0o777).toBe(0o700)
          for (const name of readdirSync(join(folder, 'sub')))
            expect([name, statSync(join(folder, 'sub', name)).mode & 0o777]).toEqual([name, 0o600])
        })
      } finally {
        process.umask(before)
      }
    },
  )

  it('undoes what a process that was killed left half done', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'store.db')
    edit(file, 'CREATE TABLE kv_store (key TEXT PRIMARY KEY, value TEXT NOT NULL)')
    const killed = new DatabaseSync(file)
    // So small a cache that pages of the change stand in the file before it is done.
    killed.exec('PRAGMA cache_size = 1; BEGIN')
    for (let i = 0; i < 100; i++) killed.exec(`INSERT INTO kv_store VALUES ('${i}', '${'x'.repeat(4_000)}')`)
    for (const ending of ['', '-journal']) copyFileSync(file + ending, join(folder, `left.db${ending}`))
    killed.close()
    await using(join(folder, 'left.db'), async (store) => {
      await append(store, 'a', sampleLog('a', 2))
      expect(await collect(store.read('a'))).toHaveLength(2)
    })
    expect(rows(join(folder, 'left.db'), `SELECT key FROM kv_store WHERE key = '1'`)).toEqual([])
  })

  it('creates nothing to read what is not there', async () => {
    const folder = temporaryFolder()
    await using(join(folder, 'sub', 'store.db'), async (store) => {
      expect(await store.list()).toEqual([])
      expect(await store.head('a')).toBeUndefined()
      expect(await store.check()).toEqual([])
      await expect(collect(store.read('a'))).rejects.toSatisfy(hasCode('missing'))
    })
    expect(readdirSync(folder)).toEqual([])
  })

  it('says that it was closed to one who is still reading', async () => {
    const { file } = await sampleFile()
    const store = kvStore({ file })
    await append(store, 'long', sampleLog('long', 100))
    const reading = store.read('long')[Symbol.asyncIterator]()
    await reading.next()
    await store.close()
    await expect(collect({ [Symbol.asyncIterator]: () => reading })).rejects.toSatisfy(hasCode('closed'))
  })

  it('says what is wrong with a path that can not be a file', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'file'), '')
    for (const file of [folder, join(folder, 'file', 'store.db')]) {
      const store = kvStore({ file })
      await expect(store.open('a')).rejects.toSatisfy(hasCode('io'))
      await store.close()
    }
  })
})
