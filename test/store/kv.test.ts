import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { kvStore } from '../../src/store/kv/kv.ts'
import { storeSuite } from '../../src/testing/store-suite.ts'

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
        const store = kvStore({ file, ...options })
        return {
          store,
          reopen: async () => kvStore({ file, ...options }),
          async dispose() {
            await store.close()
            await rm(folder, { recursive: true, force: true })
          },
        }
      },
    },
    { describe, it },
  )
}
