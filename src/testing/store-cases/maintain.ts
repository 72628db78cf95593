import assert from 'node:assert/strict'
import { prune, reseal, seal } from '../../core/event/line.ts'
import { getBlob } from '../../core/store/store.ts'
import { sha256 } from '../../sha256.ts'
import {
  agent,
  collect,
  hasCode,
  holds,
  isSound,
  listed,
  persistent,
  type StoreCases,
  seqs,
  write,
} from './case.ts'

const needNone = { unused_ms: 0 }
const addNone = () => []

export const maintainCases: StoreCases = {
  'replaces lines by others with the same header, and goes on after them': async ({ store }) => {
    const events = await write(store, agent, 6, { raw: 'at line 1' })
    const writer = await store.open(agent)
    const isEven = (seq: number) => seq % 2 === 0
    await writer.rewrite((line, { header }) => (isEven(header.seq) ? prune(line, sha256) : line), addNone)
    await writer.rewrite((line) => line, addNone)
    assert.equal(writer.head.seq, 6)
    await writer.close()
    const read = await collect(store.read(agent))
    assert.deepEqual(
      read.map(({ hash }) => hash),
      events.map(({ event }) => event.hash),
    )
    for (const { seq, raw } of read) assert.deepEqual(raw, isEven(seq) ? null : { stack: 'at line 1' })
    await isSound(store)
  },
  'writes a log anew with other events and one more, and goes on after them': async ({ store }) => {
    const events = await write(store, agent, 4, { raw: 'at line 1' })
    const writer = await store.open(agent)
    let prev: string | undefined
    await writer.rewrite(
      (_line, opened) => {
        const raw = opened.raw === null ? null : { stack: `changed ${opened.header.seq}` }
        const sealed = reseal(opened, opened.payload, raw, prev ?? opened.header.prev, sha256)
        prev = sealed.event.hash
        return Buffer.from(sealed.line)
      },
      (head, last) => [
        seal(
          { type: 'turn_start', data: {} },
          { ...last, id: 'added', seq: head.seq + 1, turn: last.turn + 1, prev: head.hash },
          sha256,
        ),
      ],
    )
    assert.equal(writer.head.seq, 5)
    await writer.close()
    const read = await collect(store.read(agent))
    assert.deepEqual(
      read.map(({ seq, id }) => [seq, id]),
      [...events.map(({ event }) => [event.seq, event.id]), [5, 'added']],
    )
    assert.ok(read.slice(1, 4).every(({ raw, seq }) => raw?.['stack'] === `changed ${seq}`))
    const again = await store.open(agent)
    assert.deepEqual(again.head, await store.head(agent))
    await assert.rejects(
      again.rewrite(
        (_line, opened) =>
          Buffer.from(reseal(opened, opened.payload, opened.raw ?? null, sha256('elsewhere'), sha256).line),
        addNone,
      ),
      hasCode('bad_event'),
    )
    await again.close()
    assert.deepEqual(await collect(store.read(agent)), read)
    await isSound(store)
  },
  'refuses a line with another header, and leaves the log as it was': async ({ store }) => {
    const events = await write(store, agent, 4)
    const writer = await store.open(agent)
    const other = Buffer.from(events[0]?.line ?? '')
    await assert.rejects(
      writer.rewrite((line, { header }) => (header.seq === 3 ? other : line), addNone),
      hasCode('bad_event'),
    )
    await writer.close()
    await holds(store, events)
  },
  'removes blobs that are not needed, and says before what would go': async ({ store }) => {
    const kept = await store.putBlob(Buffer.from('kept '.repeat(1000)), 'text')
    const gone = await store.putBlob(Buffer.from('gone '.repeat(1000)), 'text')
    const isNeeded = (digest: string) => digest === kept.sha256
    const planned = await store.sweep(isNeeded, { ...needNone, dry_run: true })
    assert.equal(planned.blobs, 1)
    assert.ok(planned.bytes > 0)
    assert.equal((await getBlob(store, gone.sha256)).length, gone.bytes)
    assert.deepEqual(await store.sweep(isNeeded, needNone), planned)
    await assert.rejects(getBlob(store, gone.sha256), hasCode('missing'))
    assert.equal((await getBlob(store, kept.sha256)).length, kept.bytes)
    assert.deepEqual(await store.sweep(isNeeded, needNone), { blobs: 0, bytes: 0 })
    const again = await store.putBlob(Buffer.from('gone '.repeat(1000)), 'text')
    assert.equal((await getBlob(store, again.sha256)).length, gone.bytes)
    await store.reclaim()
    assert.deepEqual(await store.check(), [])
  },
  'reads a compressed log as before, and appends to it': async ({ store }) => {
    const events = await write(store, agent, 40)
    await write(store, 'agent-2', 3)
    await store.archive(agent)
    assert.equal(await store.archive(agent), 0)
    await holds(store, events)
    assert.deepEqual(await seqs(store.read(agent, { from: 30, to: 31 })), [30, 31])
    const last = events.at(-1)?.event
    assert.deepEqual(await store.head(agent), { seq: 40, hash: last?.hash })
    assert.deepEqual(await listed(store), [agent, 'agent-2'])
    assert.deepEqual(await store.check(), [])
    const writer = await store.open(agent)
    assert.equal(writer.head.seq, 40)
    await writer.rewrite((line) => line, addNone)
    await writer.close()
    assert.equal((await collect(store.read(agent))).length, 40)
    assert.deepEqual(await store.check(), [])
    await assert.rejects(store.archive('nobody'), hasCode('missing'))
  },
  'does not compress a log that is being written': persistent(async ({ store, reopen }) => {
    await write(store, agent, 20)
    const writer = await store.open(agent)
    const other = await reopen()
    try {
      await assert.rejects(other.archive(agent), hasCode('locked'))
    } finally {
      await other.close()
      await writer.close()
    }
  }),
  'finds nothing wrong with itself after ordinary work': async ({ store }) => {
    await write(store, agent, 3)
    await store.putBlob(Buffer.from('raw'), 'text')
    assert.deepEqual(await store.check(), [])
  },
}
