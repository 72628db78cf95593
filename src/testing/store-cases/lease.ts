import assert from 'node:assert/strict'
import { lineOf } from '../../core/store/chain.ts'
import { headOf, sampleLog } from '../sample-log.ts'
import { abandoning, agent, hasCode, holds, persistent, type StoreCases } from './case.ts'

export const leaseCases: StoreCases = {
  'gives each lease of a log a generation, and refuses what comes with one that ended': async ({
    engine,
  }) => {
    const events = sampleLog(agent, 2)
    const [first, second] = events.map(lineOf)
    assert.ok(first && second)
    const before = await engine.lease?.(agent)
    await before?.release()
    const now = await engine.lease?.(agent)
    await assert.rejects(engine.append(agent, [first], headOf([]), before), hasCode('conflict'))
    await engine.append(agent, [first], headOf([]), now)
    await engine.append(agent, [second], headOf(events.slice(0, 1)), now)
    await now?.release()
  },
  'gives a log to one writer at a time, whichever store asks': persistent(async ({ store, reopen }) => {
    const other = await reopen()
    const writer = await store.open(agent)
    await assert.rejects(other.open(agent), hasCode('locked'))
    await writer.append(sampleLog(agent, 1), 0)
    await writer.close()
    const next = await other.open(agent)
    assert.equal(next.head.seq, 1)
    await other.close()
    await (await store.open(agent)).close()
  }),
  'takes over from a writer that ended on another machine, and refuses what still comes from it': abandoning(
    async ({ store, reopen, abandon }) => {
      const events = sampleLog(agent, 3)
      const old = await store.open(agent)
      await old.append(events.slice(0, 1), 0)
      await abandon(agent)
      const other = await reopen()
      const writer = await other.open(agent)
      await assert.rejects(old.append(events.slice(1, 2), 1), hasCode('conflict'))
      await writer.append(events.slice(1), 1)
      await writer.close()
      await holds(other, events)
      await other.close()
      await old.close()
    },
  ),
}
