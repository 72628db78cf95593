import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { sampleLog } from '../sample-log.ts'
import { agent, persistent, type StoreCases, write } from './case.ts'

/** Far more than a watch may take, so that a busy machine fails no test. */
const SOON_MS = 10_000

export const watchCases: StoreCases = {
  'tells of an append to the log, until it is ended': async ({ engine, store }) => {
    const events = sampleLog(agent, 3)
    const writer = await store.open(agent)
    await writer.append(events.slice(0, 1), 0)
    let told = () => {}
    const stop = engine.watch?.(agent, () => told())
    const next = within(new Promise<void>((resolve) => (told = resolve)))
    await writer.append(events.slice(1, 2), 1)
    await next
    stop?.()
    told = () => assert.fail('it was ended')
    await writer.append(events.slice(2), 2)
    await sleep(120)
    await writer.close()
  },
  'tells of a new log to who watches all of them': async ({ engine, store }) => {
    await write(store, agent, 1)
    let told = () => {}
    const stop = engine.watch?.(undefined, () => told())
    const next = within(new Promise<void>((resolve) => (told = resolve)))
    await write(store, 'agent-2', 1)
    await next
    stop?.()
  },
  'tells of what another process appends': persistent(async ({ engine, store, reopen }) => {
    await write(store, agent, 1)
    const other = await reopen()
    let told = () => {}
    const stop = engine.watch?.(agent, () => told())
    const next = within(new Promise<void>((resolve) => (told = resolve)))
    const writer = await other.open(agent)
    await writer.append(sampleLog(agent, 1, { after: writer.head }), 1)
    await next
    stop?.()
    await other.close()
  }),
}

async function within(told: Promise<void>): Promise<void> {
  const ended = new AbortController()
  const late = sleep(SOON_MS, 'late', { signal: ended.signal }).catch(() => 'in time')
  const first = await Promise.race([told, late])
  ended.abort()
  assert.notEqual(first, 'late', 'nothing was told of a change')
}
