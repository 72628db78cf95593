import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { type JsonlOptions, jsonlEngine } from '../../../src/store/jsonl/jsonl.ts'
import { layoutOf } from '../../../src/store/jsonl/layout.ts'
import { storeSuite } from '../../../src/testing/store-suite.ts'
import { abandonLease } from '../abandon-lease.ts'

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
        return {
          engine: jsonlEngine({ ...options, folder }),
          reopen: async () => jsonlEngine({ ...options, folder }),
          abandon: (agentId) => abandonLease(layoutOf(folder).lock(agentId)),
          dispose: () => rm(folder, { recursive: true }),
        }
      },
    },
    { describe, it },
  )
}
