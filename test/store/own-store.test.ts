import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { bucketEngine, folderBucket } from '../../examples/own-store.ts'
import { storeSuite } from '../../src/testing/store-suite.ts'

storeSuite(
  {
    name: 'the store of examples/own-store.ts',
    without: ['watch', 'maintain'],
    make: async () => {
      // In memory where that can be had: it is not the disk that is tried.
      const folder = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'bucket-'))
      const engine = bucketEngine(folderBucket(folder))
      return {
        engine,
        reopen: async () => bucketEngine(folderBucket(folder)),
        async abandon(agentId) {
          const leases = join(folder, 'leases', agentId)
          for (const name of await readdir(leases)) {
            const note = JSON.parse(await readFile(join(leases, name), 'utf8'))
            await writeFile(join(leases, name), JSON.stringify({ ...note, until: Date.now() - 1 }))
          }
        },
        dispose: () => rm(folder, { recursive: true, force: true }),
      }
    },
  },
  { describe, it },
)

test('a store on another engine is one file of at most 300 lines', async () => {
  const text = await readFile(new URL('../../examples/own-store.ts', import.meta.url), 'utf8')
  expect(text.split('\n').length).toBeLessThanOrEqual(300)
})
