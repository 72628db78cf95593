import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SNAPSHOT_EVENTS } from '../../src/limits.ts'
import { stateAt } from '../../src/memory/at.ts'
import { Memory } from '../../src/memory/memory.ts'
import { jsonlStore } from '../../src/store/jsonl/jsonl.ts'
import { layoutOf } from '../../src/store/jsonl/layout.ts'
import { memoryStore } from '../../src/store/memory.ts'
import type { Store } from '../../src/store/store.ts'
import { quickScratchFolder } from '../store/jsonl/scratch.ts'

const EVENTS = SNAPSHOT_EVENTS * 2 + 40
const PLACES = [
  1,
  2,
  SNAPSHOT_EVENTS - 1,
  SNAPSHOT_EVENTS,
  SNAPSHOT_EVENTS + 1,
  SNAPSHOT_EVENTS * 2 + 5,
  EVENTS,
]

async function record(store: Store): Promise<void> {
  const memory = await Memory.open({ store, agent_id: 'a', goal: 'g' })
  while (memory.head.seq < EVENTS) {
    const { seq } = memory.head
    if (seq % 10 === 0) await memory.startTurn()
    else await memory.correct('t', 'n', { update_knowledge: { [`key ${seq % 70}`]: seq, __proto__x: seq } })
  }
  await memory.close()
}

async function statesOf(store: Store): Promise<string[]> {
  const states: string[] = []
  for (const seq of PLACES) states.push(JSON.stringify((await stateAt(store, 'a', { seq })).state))
  for (const turn of [0, 1, 20, 30]) states.push(JSON.stringify((await stateAt(store, 'a', { turn })).state))
  return states
}

test('deleting or damaging snapshots changes nothing', async () => {
  const folder = await quickScratchFolder()
  const store = jsonlStore({ folder, durability: { interval_ms: 1_000 } })
  await record(store)
  const snapshots = layoutOf(folder).snapshotsOf('a')
  const names = await readdir(snapshots)
  expect(names).toHaveLength(2)
  const states = await statesOf(store)
  for (const name of names) {
    const bytes = await readFile(join(snapshots, name))
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 4
    await writeFile(join(snapshots, name), bytes)
  }
  expect(await statesOf(store)).toEqual(states)
  for (const name of names) await writeFile(join(snapshots, name), '')
  expect(await statesOf(store)).toEqual(states)
  await rm(snapshots, { recursive: true })
  expect(await statesOf(store)).toEqual(states)
  await store.close()
})

test('a snapshot of another history, another version or past the end of the log is not used', async () => {
  const store = memoryStore()
  await record(store)
  const states = await statesOf(store)
  const good = await store.getSnapshot('a', EVENTS)
  if (!good) throw new Error('no snapshot')
  const wrong = JSON.stringify({ ...JSON.parse(good.state), fold: -1 })
  for (const snapshot of [
    { ...good, hash: 'f'.repeat(64), state: good.state.replace('"goal"', '"goal_"') },
    { ...good, state: wrong },
    { ...good, state: 'null' },
    { seq: EVENTS + 100, hash: good.hash, state: good.state.replace('"turn":', '"turn":1') },
  ]) {
    await store.putSnapshot('a', snapshot)
    expect(await statesOf(store)).toEqual(states)
    await store.putSnapshot('a', good)
  }
})
