import assert from 'node:assert/strict'
import { lineOf, START } from '../../core/store/chain.ts'
import { headOf, sampleLog } from '../sample-log.ts'
import { agent, collect, hasCode, type StoreCases, write } from './case.ts'

/** The engine itself, without the store above it. */
export const portCases: StoreCases = {
  'appends after the expected head alone, its hash included': async ({ engine }) => {
    const events = sampleLog(agent, 3)
    const lines = events.map(lineOf)
    await engine.append(agent, lines.slice(0, 2), START)
    const wrong = [START, headOf(events.slice(0, 1)), { seq: 2, hash: 'f'.repeat(64) }, headOf(events)]
    for (const head of wrong)
      await assert.rejects(engine.append(agent, lines.slice(2), head), hasCode('conflict'))
    assert.equal((await collect(engine.read(agent, { from: 1, to: 9 }))).length, 2)
    await engine.append(agent, lines.slice(2), headOf(events.slice(0, 2)))
  },
  'lets one of two appends after the same head through': async ({ engine }) => {
    const one = sampleLog(agent, 1, { note: 'one' }).map(lineOf)
    const two = sampleLog(agent, 1, { note: 'two' }).map(lineOf)
    const asked = await Promise.allSettled([
      engine.append(agent, one, START),
      engine.append(agent, two, START),
    ])
    assert.equal(asked.filter(({ status }) => status === 'fulfilled').length, 1)
    const won = asked[0].status === 'fulfilled' ? one : two
    assert.deepEqual(
      (await bytesOf(engine.read(agent, { from: 1, to: 9 }))).map(String),
      won.map(({ bytes }) => String(Buffer.from(bytes))),
    )
  },
  'gives lines and the last of them byte for byte': async ({ engine, store }) => {
    const events = await write(store, agent, 30, { note: 'é 🙂 \u0000' })
    const expected = events.map(({ line }) => Buffer.from(line))
    assert.deepEqual(await bytesOf(engine.read(agent, { from: 7, to: 9 })), expected.slice(6, 9))
    const last = await engine.head(agent)
    assert.deepEqual(last && Buffer.from(last.bytes), expected.at(-1))
    assert.equal(await engine.head('nobody'), undefined)
    assert.deepEqual(await collect(engine.read('nobody', { from: 1, to: 9 })), [])
  },
  'lists page by page, each log once': async ({ engine, store }) => {
    const ids = Array.from({ length: 7 }, (_, i) => `agent-${i}`)
    for (const id of ids) await write(store, id, 2)
    const found: string[] = []
    let after: string | undefined
    do {
      const page = await engine.list({}, { limit: 3, ...(after === undefined ? {} : { after }) })
      assert.ok(page.logs.length <= 3)
      for (const { first, isOf } of page.logs) {
        assert.ok(Buffer.from(first).includes('"seq":1,'))
        found.push(...ids.filter(isOf))
      }
      after = page.next
    } while (after !== undefined)
    assert.deepEqual(found.sort(), ids)
  },
  'gives any range of a blob': async ({ engine, store }) => {
    const content = Buffer.from(Uint8Array.from({ length: 3_000_000 }, (_, i) => (i * i) >> 7))
    const { sha256 } = await store.putBlob(content, 'bytes')
    for (const [from, to] of [
      [0, 10],
      [1_048_570, 1_048_590],
      [2_999_990, 5_000_000],
      [5, 5],
      [4_000_000, 5_000_000],
    ] as const) {
      const part = Buffer.concat(await collect(engine.readBlob(sha256, { from, to })))
      assert.ok(part.equals(content.subarray(from, to)), `${from} to ${to}`)
    }
  },
}

async function bytesOf(lines: AsyncIterable<{ readonly bytes: Uint8Array }>): Promise<Buffer[]> {
  const all: Buffer[] = []
  for await (const { bytes } of lines) all.push(Buffer.from(bytes))
  return all
}
