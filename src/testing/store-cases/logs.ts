import assert from 'node:assert/strict'
import { open } from '../../core/event/line.ts'
import { sha256 } from '../../sha256.ts'
import { headOf, sampleLog } from '../sample-log.ts'
import { agent, collect, hasCode, holds, listed, persistent, type StoreCases, seqs, write } from './case.ts'

export const logCases: StoreCases = {
  'reads back what was appended, in order': async ({ store }) => {
    const events = await write(store, agent, 5)
    await holds(store, events)
    assert.deepEqual(
      await collect(store.readLines(agent)),
      events.map(({ line }) => open(Buffer.from(line), sha256)),
    )
  },
  'reads any range': async ({ store }) => {
    await write(store, agent, 40)
    for (const [from, to] of [
      [1, 40],
      [2, 2],
      [7, 23],
      [39, 40],
      [40, 99],
    ] as const) {
      const expected = Array.from({ length: Math.min(to, 40) - from + 1 }, (_, i) => from + i)
      assert.deepEqual(await seqs(store.read(agent, { from, to })), expected)
    }
    assert.deepEqual(await seqs(store.read(agent, { to: 2 })), [1, 2])
    assert.deepEqual(await seqs(store.read(agent, { from: 39 })), [39, 40])
    assert.deepEqual(await seqs(store.read(agent, { from: 41 })), [])
    assert.deepEqual(await seqs(store.read(agent, { from: 5, to: 4 })), [])
  },
  'refuses events after another seq than the last, and leaves the log as it was': async ({ store }) => {
    const events = sampleLog(agent, 3)
    const writer = await store.open(agent)
    await writer.append(events.slice(0, 2), 0)
    const late = sampleLog(agent, 1)
    await assert.rejects(writer.append(late, 0), hasCode('conflict'))
    await assert.rejects(writer.append(events.slice(2), 1), hasCode('conflict'))
    await assert.rejects(writer.append(events.slice(2), 3), hasCode('conflict'))
    assert.equal((await collect(store.read(agent))).length, 2)
    await writer.append(events.slice(2), 2)
    await writer.close()
    assert.equal((await collect(store.read(agent))).length, 3)
  },
  'refuses events that do not continue the chain': async ({ store }) => {
    const [first, second, third] = sampleLog(agent, 3)
    assert.ok(first && second && third)
    const writer = await store.open(agent)
    await assert.rejects(writer.append([second], 0), hasCode('bad_event'))
    await assert.rejects(writer.append([first, third], 0), hasCode('bad_event'))
    await assert.rejects(writer.append(sampleLog('agent-2', 1), 0), hasCode('bad_event'))
    await assert.rejects(
      writer.append(sampleLog(agent, 1, { after: { seq: 0, hash: 'f'.repeat(64) } }), 0),
      hasCode('bad_event'),
    )
    assert.equal(await store.head(agent), undefined)
    await writer.append([first, second, third], 0)
    await writer.close()
  },
  'keeps the order of many appends at once': async ({ store }) => {
    const events = sampleLog(agent, 200)
    const writer = await store.open(agent)
    await Promise.all(events.map((event, i) => writer.append([event], i)))
    assert.deepEqual(writer.head, headOf(events))
    await writer.close()
    await holds(store, events)
  },
  'accepts an empty append and large events': async ({ store }) => {
    const events = sampleLog(agent, 3, { note: 'é'.repeat(300_000) })
    const writer = await store.open(agent)
    await writer.append([], 0)
    await writer.append(events, 0)
    await writer.close()
    await holds(store, events)
  },
  'knows the head, before and after reopening the log': async ({ store }) => {
    assert.equal(await store.head(agent), undefined)
    const events = sampleLog(agent, 4)
    const writer = await store.open(agent)
    assert.deepEqual(writer.head, headOf([]))
    await writer.append(events.slice(0, 3), 0)
    assert.deepEqual(await store.head(agent), headOf(events.slice(0, 3)))
    await writer.close()
    const again = await store.open(agent)
    assert.deepEqual(again.head, headOf(events.slice(0, 3)))
    assert.equal(again.recovered, undefined)
    await again.append(events.slice(3), 3)
    await again.close()
    assert.deepEqual(await store.head(agent), headOf(events))
  },
  'says that a log is missing until its first event': async ({ store }) => {
    const signal = new AbortController().signal
    const missing = async () => {
      await assert.rejects(collect(store.read(agent)), hasCode('missing'))
      await assert.rejects(collect(store.readLines(agent)), hasCode('missing'))
      await assert.rejects(collect(store.tail(agent, { signal })), hasCode('missing'))
      assert.equal(await store.head(agent), undefined)
      assert.deepEqual(await store.list(), [])
    }
    await missing()
    const writer = await store.open(agent)
    await missing()
    await writer.close()
    await missing()
  },
  'gives a log to one writer at a time': async ({ store }) => {
    const writer = await store.open(agent)
    await assert.rejects(store.open(agent), hasCode('locked'))
    const other = await store.open('agent-2')
    await other.close()
    await writer.close()
    await writer.close()
    const next = await store.open(agent)
    await assert.rejects(writer.append(sampleLog(agent, 1), 0), hasCode('closed'))
    await next.append(sampleLog(agent, 1), 0)
    await next.close()
  },
  'gives a log to one of many who ask at once': async ({ store }) => {
    const asked = await Promise.allSettled(Array.from({ length: 10 }, () => store.open(agent)))
    const won = asked.filter((result) => result.status === 'fulfilled')
    assert.equal(won.length, 1)
    for (const result of asked) if (result.status === 'rejected') assert.ok(hasCode('locked')(result.reason))
    await won[0]?.value.close()
    await (await store.open(agent)).close()
  },
  'refuses everything once closed': async ({ store }) => {
    const events = await write(store, agent, 2)
    const writer = await store.open(agent)
    await store.close()
    await store.close()
    await assert.rejects(writer.append(sampleLog(agent, 1, { after: headOf(events) }), 2), hasCode('closed'))
    await writer.close()
    await assert.rejects(store.open(agent), hasCode('closed'))
    await assert.rejects(collect(store.read(agent)), hasCode('closed'))
    await assert.rejects(store.head(agent), hasCode('closed'))
    await assert.rejects(store.list(), hasCode('closed'))
    await assert.rejects(store.putBlob(new Uint8Array(1), 'bytes'), hasCode('closed'))
  },
  'keeps everything for the next process': persistent(async ({ store, reopen }) => {
    const events = await write(store, agent, 3)
    const blob = await store.putBlob(Buffer.from('raw'), 'text')
    const other = await reopen()
    await holds(other, events)
    assert.deepEqual(await other.head(agent), headOf(events))
    assert.deepEqual(await listed(other), [agent])
    assert.equal(Buffer.concat(await collect(other.readBlob(blob.sha256))).toString(), 'raw')
    await other.close()
  }),
}
