import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { LEASE_MS, thisProcess } from '../../../src/files/lock.ts'
import { type JsonlOptions, jsonlEngine } from '../../../src/store/jsonl/jsonl.ts'
import { layoutOf } from '../../../src/store/jsonl/layout.ts'
import { storeSuite } from '../../../src/testing/store-suite.ts'

const elsewhere = { ...thisProcess(), boot: 'another boot', host: 'elsewhere' }

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
          async abandon(agentId) {
            // The system's lock does not reach from there to here: only the note is left of it.
            const lock = layoutOf(folder).lock(agentId)
            await rm(`${lock}.held`)
            await writeFile(lock, JSON.stringify(elsewhere))
            const then = (Date.now() - LEASE_MS) / 1000 - 1
            await utimes(lock, then, then)
          },
          dispose: () => rm(folder, { recursive: true }),
        }
      },
    },
    { describe, it },
  )
}
