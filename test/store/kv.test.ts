import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { kvEngine } from '../../src/store/kv/kv.ts'
import { storeSuite } from '../../src/testing/store-suite.ts'
import { abandonLease } from './abandon-lease.ts'

for (const [name, options] of [
  ['kv', {}],
  ['kv with syncs in intervals, without indexes', { durability: { interval_ms: 5 }, indexing: [] }],
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
          abandon: (agentId) => abandonLease(`${file}-${agentId}.lock`),
          dispose: () => rm(folder, { recursive: true, force: true }),
        }
      },
    },
    { describe, it },
  )
}
