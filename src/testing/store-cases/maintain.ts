import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BlobRef } from '../../core/event/event.ts'
import { prune, redactLine, type Sealed, seal } from '../../core/event/line.ts'
import { getBlob, type Store } from '../../core/store/store.ts'
import { sha256 } from '../../sha256.ts'
import { sampleLog, sampleNonces } from '../sample-log.ts'
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

const atOnce = { unused_ms: 0 }
const addNone = () => []

/** A log whose only event names a blob. */
function namingEvents(agentId: string, ref: BlobRef): Sealed[] {
  const [first] = sampleLog(agentId, 1)
  assert.ok(first)
  const draft = {
    type: 'agent_error' as const,
    data: { where: 'sample', message: 'm' },
    raw: { blobs: { stack: ref } },
  }
  return [seal(draft, { ...first.event, nonces: sampleNonces(agentId) }, sha256)]
}

async function naming(store: Store, agentId: string, ref: BlobRef): Promise<void> {
  const writer = await store.open(agentId)
  await writer.append(namingEvents(agentId, ref), 0)
  await writer.close()
}

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
  'writes a log anew with marks in it and one more event, and goes on after them': async ({ store }) => {
    const events = await write(store, agent, 4, { raw: 'at line 1' })
    const writer = await store.open(agent)
    await writer.rewrite(
      (line, { header: { seq } }) => redactLine(line, { raw: { stack: `marked ${seq}` } }, sha256),
      (head, last) => [
        seal(
          { type: 'turn_start', data: {} },
          {
            ...{ ...last, id: 'added', seq: head.seq + 1, turn: last.turn + 1, prev: head.hash },
            nonces: sampleNonces('added'),
          },
          sha256,
        ),
      ],
    )
    assert.equal(writer.head.seq, 5)
    await writer.close()
    const read = await collect(store.read(agent))
    assert.deepEqual(
      read.slice(0, 4).map(({ seq, hash }) => [seq, hash]),
      events.map(({ event }) => [event.seq, event.hash]),
    )
    assert.equal(read[4]?.id, 'added')
    for (const { seq, raw, redacted } of read.slice(0, 4)) {
      assert.deepEqual(raw, { stack: `marked ${seq}` })
      assert.deepEqual(redacted, ['raw'])
    }
    const again = await store.open(agent)
    assert.deepEqual(again.head, await store.head(agent))
    await again.close()
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
  'removes blobs that no event names, and says before what would go': async ({ store }) => {
    const kept = await store.putBlob(Buffer.from('kept '.repeat(1000)), 'text')
    const gone = await store.putBlob(Buffer.from('gone '.repeat(1000)), 'text')
    const other = await store.putBlob(Buffer.from('other '.repeat(1000)), 'text')
    await naming(store, agent, kept)
    const only = async (digest: string) => digest !== other.sha256
    const planned = await store.sweep({ ...atOnce, only, dry_run: true })
    assert.equal(planned.blobs, 1)
    assert.equal(planned.waiting, 0)
    assert.ok(planned.bytes > 0)
    assert.equal((await getBlob(store, gone.sha256)).length, gone.bytes)
    assert.deepEqual(await store.sweep({ ...atOnce, only }), planned)
    await assert.rejects(getBlob(store, gone.sha256), hasCode('missing'))
    for (const { sha256: digest, bytes } of [kept, other])
      assert.equal((await getBlob(store, digest)).length, bytes)
    assert.deepEqual(await store.sweep({ ...atOnce, only }), { blobs: 0, bytes: 0, waiting: 0 })
    const again = await store.putBlob(Buffer.from('gone '.repeat(1000)), 'text')
    assert.equal((await getBlob(store, again.sha256)).length, gone.bytes)
    await store.reclaim()
    assert.deepEqual(await store.check(), [])
  },
  'leaves blobs that were stored while a log is open, until it is closed': async ({ store }) => {
    const before = await store.putBlob(Buffer.from('before'), 'text')
    // Clocks count in milliseconds.
    await sleep(5)
    const writer = await store.open(agent)
    const stored = await store.putBlob(Buffer.from('for an event to come'), 'text')
    const again = await store.putBlob(Buffer.from('stored twice'), 'text')
    await store.putBlob(Buffer.from('stored twice'), 'text')
    const swept = await store.sweep(atOnce)
    assert.deepEqual([swept.blobs, swept.waiting], [1, 2])
    await assert.rejects(getBlob(store, before.sha256), hasCode('missing'))
    await writer.append(namingEvents(agent, stored), 0)
    await writer.close()
    assert.equal((await store.sweep(atOnce)).blobs, 1)
    await assert.rejects(getBlob(store, again.sha256), hasCode('missing'))
    assert.equal((await getBlob(store, stored.sha256)).length, stored.bytes)
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
