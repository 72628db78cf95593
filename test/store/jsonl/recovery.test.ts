import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LINE_BYTES_MAX } from '../../../src/limits.ts'
import { jsonlStore } from '../../../src/store/jsonl/jsonl.ts'
import { headOf, sampleLog } from '../../../src/testing/sample-log.ts'
import { collect } from '../../../src/testing/store-cases/case.ts'
import { quickScratchFolder } from './scratch.ts'

const agent = 'agent-1'
const events = sampleLog(agent, 4)
const whole = Buffer.from(events.map(({ line }) => `${line}\n`).join(''))
const interval = { interval_ms: 60_000 }

async function storeWith(bytes: Uint8Array) {
  const folder = await quickScratchFolder()
  await mkdir(join(folder, 'traces'))
  const path = join(folder, 'traces', `${agent}.jsonl`)
  await writeFile(path, bytes)
  return { folder, path, store: jsonlStore({ folder, durability: interval }) }
}

const eventsBefore = (cut: number) =>
  events.filter(
    (_, i) =>
      Buffer.byteLength(
        events
          .slice(0, i + 1)
          .map(({ line }) => `${line}\n`)
          .join(''),
      ) <= cut,
  )

describe('a log cut short', () => {
  it('reopens to exactly the whole events before the cut, wherever that is', async () => {
    const { folder, path } = await storeWith(whole)
    const end = Buffer.byteLength(
      events
        .slice(0, 2)
        .map(({ line }) => `${line}\n`)
        .join(''),
    )
    // Each byte around the ends of lines, and every fifth between them.
    for (let cut = 0; cut <= end; cut++) {
      if (cut % 5 !== 0 && !whole.subarray(Math.max(0, cut - 3), cut + 3).includes(0x0a)) continue
      await writeFile(path, whole.subarray(0, cut))
      const expected = eventsBefore(cut)
      const store = jsonlStore({ folder, durability: interval })
      const torn = cut - Buffer.byteLength(expected.map(({ line }) => `${line}\n`).join(''))
      if (expected.length > 0) {
        expect((await collect(store.read(agent))).length).toBe(expected.length)
      } else await expect(collect(store.read(agent))).rejects.toMatchObject({ code: 'missing' })
      if (cut % 20 === 0) {
        expect((await store.check()).some(({ what }) => what.includes('torn event'))).toBe(torn > 0)
      }

      const writer = await store.open(agent)
      expect(writer.head).toEqual(headOf(expected))
      expect(writer.recovered?.bytes ?? 0).toBe(torn)
      if (writer.recovered) {
        expect(writer.recovered.offset).toBe(cut - torn)
        expect(whole.subarray(cut - torn, cut).equals(await readFile(writer.recovered.kept))).toBe(true)
        await rm(writer.recovered.kept)
      }
      await writer.append(events.slice(expected.length), expected.length)
      await writer.close()
      expect((await collect(store.read(agent))).map(({ hash }) => hash)).toEqual(
        events.map(({ event }) => event.hash),
      )
    }
  })

  it('reports what recovery kept aside', async () => {
    const { store, path } = await storeWith(whole.subarray(0, whole.length - 10))
    const writer = await store.open(agent)
    await writer.close()
    expect(await store.check()).toEqual(
      [
        expect.objectContaining({ level: 'warning', where: expect.stringContaining(`${path}.torn-`) }),
        expect.objectContaining({ what: expect.stringContaining('not in the index') }),
      ].toSorted(() => -1),
    )
    const again = await store.open(agent)
    expect(again.recovered).toBeUndefined()
    await again.close()
  })

  it('keeps both torn ends when the same place is torn twice', async () => {
    const { folder, store, path } = await storeWith(whole.subarray(0, whole.length - 10))
    await (await store.open(agent)).close()
    await writeFile(path, whole.subarray(0, whole.length - 20))
    await (await store.open(agent)).close()
    const kept = (await readdir(join(folder, 'traces'))).filter((name) => name.includes('.torn-'))
    expect(kept.length).toBe(2)
  })

  it('cuts zeros that a disk left at the end', async () => {
    for (const bytes of [1, 5000, LINE_BYTES_MAX + 1]) {
      const { store } = await storeWith(Buffer.concat([whole, Buffer.alloc(bytes)]))
      const writer = await store.open(agent)
      expect(writer.recovered).toMatchObject({ bytes, offset: whole.length })
      expect(writer.head).toEqual(headOf(events))
      await writer.close()
    }
  })
})

describe('a damaged log', () => {
  const lineBreaks = events.map((_, i) => eventsBytes(i))
  const edits: Readonly<Record<string, { bytes: Buffer; line: number }>> = {
    'an edited event': { bytes: edit(2, (line) => line.replace('note 2', 'note 9')), line: 2 },
    'a deleted event': { bytes: Buffer.concat([whole.subarray(0, at(1)), whole.subarray(at(2))]), line: 2 },
    'an event twice': { bytes: Buffer.concat([whole.subarray(0, at(2)), whole.subarray(at(1))]), line: 3 },
    'swapped events': {
      bytes: Buffer.concat([
        whole.subarray(0, at(1)),
        whole.subarray(at(2), at(3)),
        whole.subarray(at(1), at(2)),
        whole.subarray(at(3)),
      ]),
      line: 2,
    },
    'an empty line': {
      bytes: Buffer.concat([whole.subarray(0, at(3)), Buffer.from('\n'), whole.subarray(at(3))]),
      line: 4,
    },
    'a damaged last event': { bytes: edit(4, (line) => line.replace('note 4', 'note 5')), line: 4 },
  }

  function at(event: number) {
    return lineBreaks[event] ?? 0
  }

  for (const [name, { bytes, line }] of Object.entries(edits)) {
    it(`says where ${name} is, and gives the events before it`, async () => {
      const { store, path } = await storeWith(bytes)
      const read: number[] = []
      const reading = async () => {
        for await (const event of store.read(agent)) read.push(event.seq)
      }
      await expect(reading()).rejects.toMatchObject({
        code: 'damaged',
        message: expect.stringContaining(`line ${line} (byte ${at(line - 1)})`),
        details: { line, offset: at(line - 1) },
      })
      expect(read).toEqual(events.slice(0, line - 1).map(({ event }) => event.seq))
      expect(await readFile(path)).toEqual(bytes)
    })
  }

  it('is not opened for writing when its end is damaged, and stays as it is', async () => {
    for (const bytes of [
      edits['a damaged last event']?.bytes ?? whole,
      Buffer.concat([whole, Buffer.from('something else')]),
      Buffer.concat([whole, Buffer.from('{"foreign":true}\n')]),
      Buffer.from('{"role":"user","content":"hi"}\n{"role":"assistant"}\n'),
      Buffer.from('not a log'),
      Buffer.concat([whole, Buffer.alloc(LINE_BYTES_MAX + 1, 'x'), Buffer.from('\n')]),
    ]) {
      const { store, path, folder } = await storeWith(bytes)
      await expect(store.open(agent)).rejects.toMatchObject({ code: 'damaged', details: { path } })
      await expect(store.head(agent)).rejects.toMatchObject({ code: 'damaged' })
      expect(bytes.equals(await readFile(path))).toBe(true)
      expect(await readdir(join(folder, 'traces'))).toEqual([`${agent}.jsonl`])
      expect((await store.check()).some(({ level }) => level === 'error')).toBe(true)
    }
  })

  it('is opened for writing when the damage is further up, and reading still reports it', async () => {
    const { store } = await storeWith(edits['an edited event']?.bytes ?? whole)
    const writer = await store.open(agent)
    expect(writer.head).toEqual(headOf(events))
    await writer.append(sampleLog(agent, 1, { after: writer.head }), 4)
    await writer.close()
    await expect(collect(store.read(agent))).rejects.toMatchObject({ code: 'damaged', details: { line: 2 } })
  })

  it('gives the place of damage when the range begins late', async () => {
    const long = sampleLog(agent, 600, { note: 'x'.repeat(2000) })
    const lines = long.map(({ line }) => `${line}\n`)
    const damaged = [...lines]
    damaged[499] = (lines[499] ?? '').replace('xxx', 'xxy')
    const { store } = await storeWith(Buffer.from(damaged.join('')))
    const read: number[] = []
    const reading = async (from: number) => {
      for await (const event of store.read(agent, { from })) read.push(event.seq)
    }
    await expect(reading(450)).rejects.toMatchObject({
      code: 'damaged',
      details: { line: 500, offset: Buffer.byteLength(lines.slice(0, 499).join('')) },
    })
    expect(read).toEqual(Array.from({ length: 50 }, (_, i) => 450 + i))
    read.length = 0
    await reading(550)
    expect(read.length).toBe(51)
  })

  function eventsBytes(count: number) {
    return Buffer.byteLength(
      events
        .slice(0, count)
        .map(({ line }) => `${line}\n`)
        .join(''),
    )
  }

  function edit(seq: number, change: (line: string) => string) {
    return Buffer.from(events.map(({ line }, i) => `${i === seq - 1 ? change(line) : line}\n`).join(''))
  }
})
