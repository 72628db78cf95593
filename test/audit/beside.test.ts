import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { compact } from '../../src/audit/compact/compact.ts'
import { redactStore } from '../../src/audit/redact/redact.ts'
import { redactText } from '../../src/audit/redact/texts.ts'
import { verifyLog } from '../../src/audit/verify.ts'
import type { Store } from '../../src/core/store/store.ts'
import { Memory } from '../../src/memory.ts'
import { jsonlStore } from '../../src/store/jsonl/jsonl.ts'
import { kvStore } from '../../src/store/kv/kv.ts'

/** How long both run: seconds here, a minute with `npm run test:beside`. */
const RUN_MS = Number(process.env['BESIDE_MS'] ?? 1_500)
const SECRET = 'Ada Lovelace'
const keepAll = { raw_days: null, raw_bytes: null, keep_errors: true, archive_days: null }

const stores: [string, (folder: string) => Store][] = [
  ['jsonl', (folder) => jsonlStore({ folder, durability: { interval_ms: 1_000 } })],
  ['kv', (folder) => kvStore({ file: join(folder, 'agent.db'), durability: { interval_ms: 1_000 } })],
]

test.each(stores)(
  '%s: redaction and retention beside agents that record what they remove',
  async (_, open) => {
    const folder = await mkdtemp(join(tmpdir(), 'twotrack-beside-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const end = performance.now() + RUN_MS
    const writing = open(folder)
    const sweeping = open(folder)
    const agents: string[] = []

    /** Agents one after the other, each with outputs that are blobs; the same ones come again and again. */
    const record = async (name: string) => {
      for (let run = 0; performance.now() < end || run === 0; run++) {
        const agentId = `${name}-${run}`
        const memory = await Memory.open({ store: writing, agentId, goal: 'g', secrets: 'off' })
        for (let turn = 0; turn < 4; turn++) {
          const call = await memory.recordCall({ tool: 't', args: { turn } })
          await memory.recordResult({
            call,
            returned: `output ${(run + turn) % 5} of ${SECRET}\n`.repeat(900),
          })
        }
        await memory.close()
        agents.push(agentId)
      }
    }
    const remove = async () => {
      for (let round = 0; performance.now() < end || round === 0; round++) {
        await redactStore(sweeping, { redact: redactText(SECRET), reason: 'r' })
        await compact(sweeping, { ...keepAll, dry_run: false, unused_ms: 0 })
      }
    }
    await Promise.all([record('a'), record('b'), remove()])
    expect(agents.length).toBeGreaterThan(1)
    const found = []
    for (const agent of agents) found.push(...(await verifyLog(writing, agent)).findings)
    expect(found).toEqual([])
    expect(await redactStore(sweeping, { redact: redactText(SECRET), reason: 'r' })).toMatchObject({
      left: false,
    })
    for (const agent of agents) {
      expect(await verifyLog(writing, agent)).toMatchObject({ ok: true, findings: [] })
      for await (const event of writing.read(agent)) expect(JSON.stringify(event)).not.toContain(SECRET)
    }
    await writing.close()
    await sweeping.close()
  },
)
