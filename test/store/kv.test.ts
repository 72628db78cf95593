import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { LEASE_MS, thisProcess } from '../../src/files/lock.ts'
import { kvEngine } from '../../src/store/kv/kv.ts'
import { storeSuite } from '../../src/testing/store-suite.ts'
import { edit } from './kv-sample.ts'

const elsewhere = { ...thisProcess(), boot: 'another boot', host: 'elsewhere' }

for (const [name, options] of [
  ['kv', {}],
  ['kv with syncs in intervals', { durability: { interval_ms: 5 } }],
  ['kv without indexes', { indexing: [] }],
] as const) {
  storeSuite(
    {
      name,
      async make() {
        const folder = await mkdtemp(join(tmpdir(), 'twotrack-kv-'))
        const file = join(folder, 'made', 'on demand', 'store.db')
        return {
          engine: kvEngine({ file, ...options }),
          reopen: async () => kvEngine({ file, ...options }),
          async abandon(agentId) {
            const lost = 'UPDATE twotrack_lease SET owner = ?, renewed_ms = ? WHERE agent = ?'
            edit(file, lost, JSON.stringify(elsewhere), Date.now() - LEASE_MS, agentId)
          },
          dispose: () => rm(folder, { recursive: true, force: true }),
        }
      },
    },
    { describe, it },
  )
}
