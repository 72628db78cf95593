import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { type JsonlOptions, jsonlStore } from '../../../src/store/jsonl/jsonl.ts'
import { storeSuite } from '../../../src/testing/store-suite.ts'

const variants: Readonly<Record<string, Omit<JsonlOptions, 'folder'>>> = {
  'jsonlStore, every append synced': {},
  'jsonlStore, synced at intervals': { durability: { interval_ms: 20 } },
}

for (const [name, options] of Object.entries(variants)) {
  storeSuite(
    {
      name,
      make: async () => {
        const folder = await mkdtemp(join(tmpdir(), 'twotrack-'))
        const store = jsonlStore({ ...options, folder })
        return {
          store,
          reopen: async () => jsonlStore({ ...options, folder }),
          dispose: async () => {
            await store.close()
            await rm(folder, { recursive: true })
          },
        }
      },
    },
    { describe, it },
  )
}
