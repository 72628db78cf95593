import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verifyLog } from '../../src/audit/verify.ts'
import { getBlob, type Store } from '../../src/store/store.ts'
import { collect } from '../../src/testing/store-cases/case.ts'
import { scratchFolder } from '../store/jsonl/scratch.ts'
import {
  compactAll,
  filesWith,
  GOES,
  killedAfter,
  outputWith,
  prepare,
  SHARED,
  STAYS,
  storeIn,
} from './kill/folder.ts'

/** Every step would take minutes: `KILL_EVERY=1` tries each, otherwise some of them are. */
const EVERY = Number(process.env['KILL_EVERY'] ?? 13)

async function expectIntact(store: Store): Promise<void> {
  for (const { agent_id } of await store.list()) {
    const { findings } = await verifyLog(store, agent_id)
    expect({ agent_id, findings }).toEqual({ agent_id, findings: [] })
  }
  expect((await store.check()).filter(({ level }) => level === 'error')).toEqual([])
}

/** The completions in a log, blobs included. */
async function outputsOf(store: Store, agentId: string): Promise<(string | null)[]> {
  const results = (await collect(store.read(agentId))).filter(({ type }) => type === 'model_response')
  return Promise.all(
    results.map(async ({ raw }) => {
      const blob = raw?.blobs?.['completion']
      return blob
        ? Buffer.from(await getBlob(store, blob.sha256)).toString()
        : raw
          ? String(raw['completion'])
          : null
    }),
  )
}

async function expectKept(store: Store): Promise<void> {
  expect(await outputsOf(store, 'failed')).toEqual([outputWith(`${STAYS} of the failed`), SHARED])
  expect(await outputsOf(store, 'open')).toEqual([outputWith(`${STAYS} of the open`)])
}

describe.each(['jsonl', 'kv'])('compact killed after every change of a file (%s)', (kind) => {
  test('loses nothing that was to stay, leaves nothing that was to go, and finishes when it is run again', {
    timeout: 600_000,
  }, async () => {
    const start = await scratchFolder()
    const made = storeIn(kind, start)
    await prepare(made)
    await made.close()
    expect(await filesWith(start, GOES)).not.toEqual([])
    let step = 1
    for (let killed = true; killed; step += EVERY) {
      const folder = join(await scratchFolder(), 'copy')
      cpSync(start, folder, { recursive: true })
      killed = killedAfter(step, 'compact', kind, folder)
      const store = storeIn(kind, folder)
      try {
        await expectIntact(store)
        await expectKept(store)
        await compactAll(store)
        await expectIntact(store)
        await expectKept(store)
        expect(await outputsOf(store, 'done')).toEqual([null, null])
        const tombstones = (await collect(store.read('done'))).filter(({ type }) => type === 'tombstone')
        expect({ step, tombstones: tombstones.length }).toEqual({ step, tombstones: 1 })
        expect(await compactAll(store)).toMatchObject({ logs: [], blobs: { blobs: 0 }, pruned_bytes: 0 })
      } finally {
        await store.close()
      }
      expect({ step, files: await filesWith(folder, GOES) }).toEqual({ step, files: [] })
    }
    expect(step).toBeGreaterThan(20)
  })
})

describe.each(['jsonl', 'kv'])(
  'an answer to an escalation, killed after every change of a file (%s)',
  (kind) => {
    test('is there once when it is given again', { timeout: 600_000 }, async () => {
      const start = await scratchFolder()
      const made = storeIn(kind, start)
      await prepare(made)
      await made.close()
      for (let step = 1, killed = true; killed; step += EVERY) {
        const folder = join(await scratchFolder(), 'copy')
        cpSync(start, folder, { recursive: true })
        killed = killedAfter(step, 'answer', kind, folder)
        killedAfter(0, 'answer', kind, folder)
        const store = storeIn(kind, folder)
        await expectIntact(store)
        const answers = (await collect(store.read('failed'))).filter(({ type }) => type === 'escalation')
        expect({ step, answers: answers.length }).toEqual({ step, answers: 1 })
        await store.close()
      }
    })
  },
)
