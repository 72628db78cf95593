import { readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Durability } from '../../../src/core/store/store.ts'
import { jsonlStore } from '../../../src/store/jsonl/jsonl.ts'
import { sampleLog } from '../../../src/testing/sample-log.ts'
import { collect } from '../../../src/testing/store-cases/case.ts'
import { quickScratchFolder } from './scratch.ts'

const agent = 'agent-1'
const SECTOR = 512
const SEED = Number(process.env['SEED'] ?? 20261118)
/** How many states of the disk are tried for each kind of append. */
const STATES = Number(process.env['POWER_STATES'] ?? 60)

function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

interface Written {
  readonly path: string
  readonly folder: string
  /** The file when the last append began, and when it ended. */
  readonly before: Buffer
  readonly after: Buffer
  /** The last event that was promised to be on disk. */
  readonly promised: number
}

/** Appends groups of events one after the other; all but the last are on disk, or with an interval the first alone. */
async function written(durability: Durability, groups: readonly number[], note: string): Promise<Written> {
  const folder = await quickScratchFolder()
  const path = join(folder, 'traces', `${agent}.jsonl`)
  const first = jsonlStore({ folder })
  const events = sampleLog(
    agent,
    groups.reduce((sum, count) => sum + count, 0),
    { note },
  )
  let seq = groups[0] ?? 0
  const opening = await first.open(agent)
  await opening.append(events.slice(0, seq), 0)
  await first.close()
  let before = await readFile(path)
  let promised = seq
  const store = jsonlStore({ folder, durability })
  const writer = await store.open(agent)
  for (const count of groups.slice(1)) {
    if (durability === 'always') {
      before = await readFile(path)
      promised = seq
    }
    await writer.append(events.slice(seq, seq + count), seq)
    seq += count
  }
  await store.close()
  return { path, folder, before, after: await readFile(path), promised }
}

/** What the disk may hold after a power failure: each sector as it was or as it is, and any size between. */
function* states({ before, after }: Written, random: () => number): Generator<Buffer> {
  const firstSector = Math.floor(before.length / SECTOR)
  const sectors = Math.ceil(after.length / SECTOR)
  for (let n = 0; n < STATES; n++) {
    const size =
      n % 3 === 0 ? after.length : before.length + Math.floor(random() * (after.length - before.length + 1))
    const state = Buffer.alloc(size)
    before.copy(state)
    const keep = n % 4 === 1 ? 0 : n % 4 === 2 ? 0.9 : 0.5
    for (let sector = firstSector; sector < sectors; sector++)
      if (random() < keep)
        after.copy(state, sector * SECTOR, sector * SECTOR, Math.min((sector + 1) * SECTOR, size))
    // Space that was given to the file before anything was written there.
    yield n % 5 === 4 ? Buffer.concat([state, Buffer.alloc(Math.floor(random() * 5_000))]) : state
  }
}

const kinds: Readonly<Record<string, readonly [Durability, readonly number[], number]>> = {
  'one event': ['always', [4, 1], 900],
  'events written together': ['always', [4, 3, 6], 300],
  'large events written together': ['always', [2, 4], 40_000],
  'events of several appends that share a sync': [{ interval_ms: 60_000 }, [4, 1, 3, 1, 5], 200],
}

describe(`the power fails while something is written (SEED=${SEED})`, () => {
  it.each(Object.entries(kinds))(
    '%s: what was promised is there, and the log goes on',
    async (_, [durability, groups, size]) => {
      const random = seededRandom(SEED)
      const log = await written(durability, groups, 'n'.repeat(size))
      const events = sampleLog(
        agent,
        groups.reduce((sum, count) => sum + count, 0),
        { note: 'n'.repeat(size) },
      )
      for (const state of states(log, random)) {
        await writeFile(log.path, state)
        const store = jsonlStore({ folder: log.folder, durability })
        const read = await collect(store.read(agent))
        expect(read.length).toBeGreaterThanOrEqual(log.promised)
        expect((await store.check()).filter(({ level }) => level === 'error')).toEqual([])
        const writer = await store.open(agent)
        expect(writer.head.seq).toBe(read.length)
        await writer.append(events.slice(read.length), read.length)
        await writer.close()
        expect((await collect(store.read(agent))).map(({ hash }) => hash)).toEqual(
          events.map(({ event }) => event.hash),
        )
        await store.close()
      }
    },
  )

  it.each(Object.entries(kinds))(
    '%s: zeros in what was on disk before are damage',
    async (_, [durability, groups, size]) => {
      const log = await written(durability, groups, 'n'.repeat(size))
      const last = Math.floor(log.before.length / SECTOR)
      for (let sector = 0; sector < last; sector += Math.max(1, Math.floor(last / 12))) {
        const state = Buffer.from(log.after)
        state.fill(0, sector * SECTOR, (sector + 1) * SECTOR)
        await writeFile(log.path, state)
        const store = jsonlStore({ folder: log.folder })
        await expect(collect(store.read(agent)), `sector ${sector}`).rejects.toMatchObject({
          code: 'damaged',
        })
        await store.close()
        await truncate(log.path, log.after.length)
      }
    },
  )
})
