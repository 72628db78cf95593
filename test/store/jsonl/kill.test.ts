import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { jsonlStore } from '../../../src/store/jsonl/jsonl.ts'
import { kvStore } from '../../../src/store/kv/kv.ts'
import { collect } from '../../../src/testing/store-cases/case.ts'
import { startChild } from './child.ts'
import { scratchFolder } from './scratch.ts'

/** The full count is run with `npm run test:faults`. */
const kills = Number(process.env['TWOTRACK_KILLS'] ?? 12)
const seed = Number(process.env['SEED'] ?? 20260101)
const LANES = 4
const DELAY_MS_MAX = 4
const ACKNOWLEDGED_MAX = 30

function random(from: number): () => number {
  let state = from
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

describe('kill -9 while appending', () => {
  it.each(['jsonl', 'kv'] as const)(
    `%s loses no acknowledged event in ${kills} kills (seed ${seed})`,
    { timeout: 600_000 + kills * 3_000 },
    async (kind) => {
      const folder = await scratchFolder()
      const lanes = Array.from({ length: LANES }, (_, lane) =>
        killRepeatedly(kind, folder, lane, Math.ceil(kills / LANES)),
      )
      const results = await Promise.all(lanes)
      const acknowledged = results.reduce((sum, each) => sum + each.acknowledged, 0)
      const torn = results.reduce((sum, each) => sum + each.torn, 0)
      console.log(`${kind}, ${kills} kills: ${acknowledged} events acknowledged, ${torn} torn ends recovered`)
      expect(acknowledged).toBeGreaterThan(0)
    },
  )
})

async function killRepeatedly(kind: 'jsonl' | 'kv', folder: string, lane: number, times: number) {
  const agent = `agent-${lane}`
  const chance = random(seed + lane)
  const place = kind === 'kv' ? join(folder, `${lane}.db`) : folder
  const store = kind === 'kv' ? kvStore({ file: place }) : jsonlStore({ folder })
  const acknowledged = new Map<number, string>()
  const start = () => startChild([place, agent, 'Infinity', kind])
  let next = start()
  for (let i = 0; i < times; i++) {
    const child = next
    if (i + 1 < times) next = start()
    await child.line('ready')
    child.say('go')
    // Mostly after some events, but now and then while the log is being opened, which may be recovering it.
    if (chance() > 0.1) await child.count(2 + chance() * ACKNOWLEDGED_MAX)
    await sleep(chance() * DELAY_MS_MAX)
    await child.kill()
    expect(child.lines.find((line) => line.startsWith('failed'))).toBeUndefined()
    for (const line of child.lines) {
      const [seq = '', hash] = line.split(' ')
      if (!hash || !/^\d+$/.test(seq)) continue
      expect(acknowledged.has(Number(seq))).toBe(false)
      acknowledged.set(Number(seq), hash)
    }
    expect((await store.head(agent))?.seq ?? 0).toBeGreaterThanOrEqual(Math.max(0, ...acknowledged.keys()))
  }
  const writer = await store.open(agent)
  await writer.close()
  // Reading checks that the chain has every seq once; the hashes, that they are the acknowledged events.
  const hashes = (await collect(store.readLines(agent))).map(({ hash }) => hash)
  for (const [seq, hash] of acknowledged) expect(hashes[seq - 1]).toBe(hash)
  expect(writer.head).toEqual({ seq: hashes.length, hash: hashes.at(-1) })
  const findings = await store.check()
  expect(findings.filter(({ level }) => level === 'error')).toEqual([])
  const torn = findings.filter(({ where }) => where.includes(join(folder, 'traces', `${agent}.jsonl.torn`)))
  await store.close()
  return { acknowledged: acknowledged.size, torn: torn.length }
}
