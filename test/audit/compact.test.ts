import { describe, expect, test } from 'vitest'
import type { Survey } from '../../src/audit/compact/policy.ts'
import { decideRetention, type Retention } from '../../src/audit/compact/policy.ts'
import { stretches } from '../../src/audit/redacted.ts'
import { transcriptOf } from '../../src/audit/transcript.ts'
import { verifyLog } from '../../src/audit/verify.ts'
import type { AgentSummary } from '../../src/run/agent-summary.ts'
import { jsonlStore } from '../../src/store/jsonl/jsonl.ts'
import { collect } from '../../src/testing/store-cases/case.ts'
import { scratchFolder } from '../store/jsonl/scratch.ts'
import { compactAll, prepare } from './kill/folder.ts'

const DAY = 86_400_000
const NOW = 100 * DAY
const keep: Retention = { raw_days: null, raw_bytes: null, keep_errors: true, archive_days: null }

const log = (
  agent_id: string,
  days_ago: number,
  { outcome = 'done', ...more }: Partial<Survey> & Partial<Pick<AgentSummary, 'outcome'>> = {},
): Survey => ({
  agent_id,
  head: { seq: 9, hash: '' },
  agent: { outcome, last: new Date(NOW - days_ago * DAY).toISOString() } as AgentSummary, // all that is read of it
  archived: false,
  raw_bytes: 100,
  prunable: [[2, 8]],
  prunable_bytes: 100,
  buried: [],
  ...more,
})

const pruned = (surveys: readonly Survey[], retention: Partial<Retention>): string[] =>
  decideRetention(surveys, { ...keep, ...retention }, NOW).flatMap(({ survey, prune }) =>
    prune === undefined ? [] : [survey.agent_id],
  )

describe('what compact removes', () => {
  const logs = [
    log('old', 40),
    log('failed', 50, { outcome: 'failed' }),
    log('open', 60, { outcome: 'open' }),
    log('new', 1),
    log('bare', 90, { prunable: [], prunable_bytes: 0, raw_bytes: 0 }),
  ]

  test('nothing, unless a limit is set', () => {
    expect(pruned(logs, {})).toEqual([])
  })

  test('raw output of agents that ended too long ago, not of those that failed or have not ended', () => {
    expect(pruned(logs, { raw_days: 30 })).toEqual(['old'])
    expect(pruned(logs, { raw_days: 30, keep_errors: false })).toEqual(['old', 'failed'])
    expect(pruned(logs, { raw_days: 0, keep_errors: false })).toEqual(['old', 'failed', 'new'])
  })

  test('as much as is over the size, what ended first at first', () => {
    expect(pruned(logs, { raw_bytes: 400 })).toEqual([])
    expect(pruned(logs, { raw_bytes: 399 })).toEqual(['old'])
    expect(pruned(logs, { raw_bytes: 0 })).toEqual(['old', 'new'])
    expect(pruned(logs, { raw_bytes: 250, keep_errors: false })).toEqual(['old', 'failed'])
  })

  test('old logs are compressed once', () => {
    const archived = (days: number | null) =>
      decideRetention(
        [...logs, log('packed', 80, { archived: true })],
        { ...keep, archive_days: days },
        NOW,
      ).flatMap(({ survey, archive }) => (archive ? [survey.agent_id] : []))
    expect(archived(null)).toEqual([])
    expect(archived(45)).toEqual(['failed', 'bare'])
  })

  test('numbers one after the other are stretches', () => {
    expect(stretches([1, 2, 3, 7, 9, 10])).toEqual([
      [1, 3],
      [7, 7],
      [9, 10],
    ])
  })
})

describe('compact', () => {
  test('says first what it would do, and changes nothing', async () => {
    const store = jsonlStore({ folder: await scratchFolder() })
    await prepare(store)
    const before = await collect(store.readLines('done'))
    const planned = await compactAll(store, undefined, true)
    expect(planned).toMatchObject({ dry_run: true, kept: { open: 1, failed: 1 } })
    expect(planned.logs.map(({ agent_id, what }) => [agent_id, what])).toEqual([
      ['done', 'pruned'],
      ['done', 'archived'],
      ['failed', 'archived'],
    ])
    expect(await collect(store.readLines('done'))).toEqual(before)
    const done = await compactAll(store)
    expect(done.blobs).toEqual(planned.blobs)
    expect(done.pruned_bytes).toBe(planned.pruned_bytes)
    expect(await verifyLog(store, 'done')).toMatchObject({ ok: true, pruned: expect.any(Number) })
    await store.close()
  })

  test('leaves a log alone that somebody writes, and tells of it', async () => {
    const store = jsonlStore({ folder: await scratchFolder() })
    await prepare(store)
    const writer = await store.open('done')
    const { logs } = await compactAll(store)
    expect(logs[0]).toMatchObject({
      agent_id: 'done',
      what: 'left',
      why: expect.stringContaining('being written'),
    })
    await writer.close()
    expect(
      (await collect(transcriptOf(store, 'done'))).some(({ what }) => what === 'removes raw output'),
    ).toBe(false)
    await store.close()
  })

  test('what was removed is said to be removed, with the reason', async () => {
    const store = jsonlStore({ folder: await scratchFolder() })
    await prepare(store)
    await compactAll(store)
    const parts = await collect(transcriptOf(store, 'done'))
    expect(parts.at(-1)).toMatchObject({ what: 'redacts all raw output', text: 'compact: older than 0 days' })
    expect(parts.find(({ who }) => who === 'tool')?.text).toContain('[removed from the log]')
    await store.close()
  })
})
