import { writeFileSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Store } from '../../../src/core/store/store.ts'
import { TwotrackError } from '../../../src/errors.ts'
import { jsonlStore } from '../../../src/store/jsonl/jsonl.ts'
import { layoutOf } from '../../../src/store/jsonl/layout.ts'
import { readIndex } from '../../../src/store/jsonl/log-index.ts'
import { sampleLog } from '../../../src/testing/sample-log.ts'
import { collect, write } from '../../../src/testing/store-cases/case.ts'
import { quickScratchFolder } from './scratch.ts'

const agent = 'agent-1'

/** Of the bits of each byte of a log so many are flipped, one after another: `npm run test:faults` flips all eight. */
const BITS = Number(process.env['TWOTRACK_BITS'] ?? 2)

/** Calls `check` for bits of every byte of a file while that one is flipped: for all of them unless told otherwise. */
async function flipBits(path: string, check: (byte: number) => Promise<void>, bits = 8): Promise<void> {
  const bytes = await readFile(path)
  for (const [at, byte] of bytes.entries()) {
    for (let one = 0; one < bits; one++) {
      const bit = (at * bits + one) % 8
      // Opened anew each time: listing a damaged index puts another file in its place.
      writeFileSync(path, bytes.with(at, byte ^ (1 << bit)))
      await check(at)
    }
  }
  await writeFile(path, bytes)
}

async function thrownBy(work: Promise<unknown>): Promise<TwotrackError | undefined> {
  try {
    await work
  } catch (thrown) {
    if (thrown instanceof TwotrackError) return thrown
    throw thrown
  }
  return undefined
}

async function freshStore(): Promise<{ folder: string; store: Store }> {
  const folder = await quickScratchFolder()
  return { folder, store: jsonlStore({ folder, durability: { interval_ms: 60_000 } }) }
}

describe('one flipped bit', () => {
  it('is found and located anywhere in a log', async () => {
    const { folder, store } = await freshStore()
    const events = sampleLog(agent, 2, { note: 'é' })
    const path = join(folder, 'traces', `${agent}.jsonl`)
    await mkdir(join(folder, 'traces'))
    await writeFile(path, events.map(({ line }) => `${line}\n`).join(''))
    const starts = events.map((_, i) =>
      Buffer.byteLength(
        events
          .slice(0, i)
          .map(({ line }) => `${line}\n`)
          .join(''),
      ),
    )
    const expectFound = async (byte: number) => {
      const line = starts.filter((start) => start <= byte).length
      const thrown = await thrownBy(collect(store.readLines(agent)))
      const place = thrown?.code === 'damaged' ? [thrown.details['line'], thrown.details['offset']] : []
      if (place[0] !== line || place[1] !== starts[line - 1]) expect.fail(`byte ${byte}: ${thrown?.message}`)
    }
    await flipBits(path, expectFound, BITS)
    expect((await collect(store.readLines(agent))).length).toBe(2)
  })

  it('is found anywhere in a blob', async () => {
    const { folder, store } = await freshStore()
    const { sha256 } = await store.putBlob(Buffer.from('raw output, raw output, raw output'), 'text')
    const path = join(folder, 'blobs', sha256.slice(0, 2), `${sha256}.zst`)
    await flipBits(path, async () => {
      const thrown = await thrownBy(collect(store.readBlob(sha256)))
      expect(thrown).toMatchObject({ code: 'damaged', details: { blob: expect.stringContaining(sha256) } })
    })
    expect(await store.check()).toEqual([])
  })

  it('is found and located anywhere in the index, and listing still gives every log', async () => {
    const { folder, store } = await freshStore()
    for (const id of ['a', 'b']) await write(store, id, 1)
    const path = join(folder, 'traces.index')
    const listed = await store.list()
    const secondLine = (await readFile(path)).indexOf(0x0a) + 1
    let flips = 0
    await flipBits(path, async (byte) => {
      const { damaged } = await readIndex(layoutOf(folder))
      expect(damaged[0]).toBe(byte < secondLine ? 1 : 2)
      if (flips++ % 101 > 0) return
      const found = (await store.check()).filter(({ where }) => where === path)
      expect(found[0]?.level).toBe('error')
      expect(found[0]?.what).toContain(byte < secondLine ? 'line 1;' : 'line 2;')
      expect(await store.list()).toEqual(listed)
      expect(await store.check()).toEqual([])
    })
  })
})

describe('a blob', () => {
  it('that was damaged is written anew when its content comes by again', async () => {
    const { folder, store } = await freshStore()
    const content = Buffer.from('raw output')
    const { sha256 } = await store.putBlob(content, 'text')
    const path = join(folder, 'blobs', sha256.slice(0, 2), `${sha256}.zst`)
    await writeFile(path, 'cut')
    expect(await store.check()).toEqual([expect.objectContaining({ level: 'error', where: path })])
    await store.putBlob(content, 'text')
    expect(await store.check()).toEqual([])
  })

  it('under the name of another is damaged', async () => {
    const { folder, store } = await freshStore()
    const [a, b] = [
      await store.putBlob(Buffer.from('a'), 'text'),
      await store.putBlob(Buffer.from('b'), 'text'),
    ]
    const pathOf = (digest: string) => join(folder, 'blobs', digest.slice(0, 2), `${digest}.zst`)
    await writeFile(pathOf(a.sha256), await readFile(pathOf(b.sha256)))
    await expect(collect(store.readBlob(a.sha256))).rejects.toMatchObject({ code: 'damaged' })
  })
})
