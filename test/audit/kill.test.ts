import { spawnSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { History } from '../../src/audit/history.ts'
import { verifyLog } from '../../src/audit/verify.ts'
import { canonical, type Json } from '../../src/core/event/json.ts'
import { getBlob, type Store } from '../../src/core/store/store.ts'
import { collect } from '../../src/testing/store-cases/case.ts'
import { bundled } from '../cli/bundle.ts'
import { scratchFolder } from '../store/jsonl/scratch.ts'
import {
  addPerson,
  addRemains,
  answerAll,
  compactAll,
  filesWith,
  GOES,
  outputWith,
  prepare,
  redactAll,
  SHARED,
  STAYS,
  storeIn,
} from './kill/folder.ts'

/** Every step takes many minutes: `KILL_EVERY=1` tries each, otherwise some of them are. */
const EVERY = Number(process.env['KILL_EVERY'] ?? 43)
const kinds = ['jsonl', 'kv']

interface Case {
  readonly what: 'compact' | 'redact' | 'answer'
  readonly again: (store: Store, folder: string) => Promise<unknown>
  /** What holds once it was done. */
  readonly expectDone: (store: Store, folder: string) => Promise<void>
}

/** Does it to copies of one folder, each killed one step later, until it comes to its end; gives the number of kills. */
async function killAtEachStep(kind: string, { what, again, expectDone }: Case): Promise<number> {
  const start = await scratchFolder()
  const made = storeIn(kind, start)
  await prepare(made)
  if (what === 'redact') await addPerson(made, start)
  const packets = await packetsOf(made)
  await made.close()
  addRemains(kind, start)
  expect(await filesWith(start, GOES)).not.toEqual([])
  let kills = 0
  for (let step = 1, killed = true; killed; step += EVERY) {
    const folder = join(await scratchFolder(), 'copy')
    cpSync(start, folder, { recursive: true })
    killed = killedAfter(step, what, kind, folder)
    if (killed) kills++
    const store = storeIn(kind, folder)
    try {
      await expectWhole(store, packets)
      await again(store, folder)
      await expectWhole(store, packets)
      await expectDone(store, folder)
    } catch (thrown) {
      throw new Error(`killed after step ${step}`, { cause: thrown })
    } finally {
      await store.close()
    }
    if (what !== 'answer') expect({ step, files: await filesWith(folder, GOES) }).toEqual({ step, files: [] })
  }
  return kills
}

const PRELOAD = new URL('./kill/preload.mjs', import.meta.url).href

/** Starts a child that is killed after so many changes; false when it came to its end before that. */
function killedAfter(changes: number, what: string, kind: string, folder: string): boolean {
  const child = spawnSync(
    process.execPath,
    ['--no-warnings', '--import', PRELOAD, bundled('audit-kill'), what, kind, folder],
    { env: { ...process.env, KILL_AFTER: String(changes) }, encoding: 'utf8' },
  )
  if (child.signal === 'SIGKILL') return true
  if (child.status !== 0) throw new Error(child.stderr)
  return false
}

/** Chain, packets and prompts as they were recorded, and every raw part that has to stay. */
async function expectWhole(store: Store, packets: ReadonlyMap<string, string>): Promise<void> {
  for (const { agent_id } of await store.list()) {
    const { findings } = await verifyLog(store, agent_id)
    expect({ agent_id, findings }).toEqual({ agent_id, findings: [] })
  }
  expect((await store.check()).filter(({ level }) => level === 'error')).toEqual([])
  expect(await outputsOf(store, 'failed')).toEqual([outputWith(`${STAYS} of the failed`), SHARED])
  expect(await outputsOf(store, 'open')).toEqual([outputWith(`${STAYS} of the open`)])
  const now = await packetsOf(store)
  for (const agent of ['done', 'open']) expect(now.get(agent)).toBe(packets.get(agent))
  expect([...now.keys()]).toEqual([...packets.keys()])
}

const packetOf = async (store: Store, agentId: string) =>
  (await History.open(store, agentId)).at(Number.POSITIVE_INFINITY).packet

async function packetsOf(store: Store): Promise<Map<string, string>> {
  const packets = new Map<string, string>()
  for (const { agent_id } of await store.list())
    packets.set(agent_id, canonical((await packetOf(store, agent_id)) as unknown as Json))
  return packets
}

/** The completions in a log, blobs included. */
async function outputsOf(store: Store, agentId: string): Promise<(string | null)[]> {
  const results = (await collect(store.read(agentId))).filter(({ type }) => type === 'model_response')
  return Promise.all(
    results.map(async ({ raw }) => {
      const blob = raw?.blobs?.['completion']
      if (blob) return Buffer.from(await getBlob(store, blob.sha256)).toString()
      return raw ? String(raw['completion']) : null
    }),
  )
}

const eventsOf = async (store: Store, agentId: string, type: string) =>
  (await collect(store.read(agentId))).filter((event) => event.type === type)

const timeout = 3_600_000

describe.each(kinds)('killed after each change of a file (%s)', (kind) => {
  test('compact loses nothing that was to stay, leaves nothing that was to go, and is finished by the next run', {
    timeout,
  }, async () => {
    const kills = await killAtEachStep(kind, {
      what: 'compact',
      again: compactAll,
      async expectDone(store) {
        expect(await outputsOf(store, 'done')).toEqual([null, null])
        expect(await eventsOf(store, 'done', 'redacted')).toHaveLength(1)
        expect(await compactAll(store)).toMatchObject({ logs: [], blobs: { blobs: 0 }, pruned_bytes: 0 })
      },
    })
    expect(kills).toBeGreaterThan(60 / EVERY)
  })

  test('redact loses nothing that was to stay, leaves nothing that was to go, and is finished by the next run', {
    timeout,
  }, async () => {
    const kills = await killAtEachStep(kind, {
      what: 'redact',
      again: redactAll,
      async expectDone(store, folder) {
        expect(await outputsOf(store, 'done')).toEqual([outputWith('[redacted]'), SHARED])
        expect((await packetOf(store, 'person')).goal).toBe(`Write to [redacted] and ${STAYS}.`)
        expect(await eventsOf(store, 'person', 'redacted')).toHaveLength(1)
        expect(await redactAll(store, folder)).toMatchObject({ logs: [], blobs: 0, files: [], left: false })
        const kept = (await filesWith(folder, STAYS)).map((file) => file.slice(folder.length + 1))
        expect(kept).toEqual(expect.arrayContaining(['export.jsonl', 'workspaces/person/files/mail.txt']))
      },
    })
    expect(kills).toBeGreaterThan(60 / EVERY)
  })

  test('an answer to an escalation is there once when it is given again', { timeout }, async () => {
    const kills = await killAtEachStep(kind, {
      what: 'answer',
      again: answerAll,
      async expectDone(store) {
        expect(await eventsOf(store, 'failed', 'escalation')).toHaveLength(1)
      },
    })
    expect(kills).toBeGreaterThan(0)
  })
})
