import { readdirSync, statSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { verifyLog } from '../../src/audit/verify.ts'
import type { EventFor } from '../../src/core/event/event.ts'
import { isObject } from '../../src/core/event/json.ts'
import { fieldOf } from '../../src/core/memory/blobs.ts'
import { readTrajectory } from '../../src/import/read.ts'
import { recordTrajectory } from '../../src/import/record.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { hasShared, readShared, sharedPath } from '../core/view/shared.ts'

const FOLDER = ['grounding', 'trajectories'] as const
const GROUPS = ['coding', 'service', 'web'] as const

const ALL = process.env['TWOTRACK_ALL'] === '1'

/** All of them with TWOTRACK_ALL=1; else the smallest of each source, and one more of the larger ones. */
function chosen(): string[] {
  if (!hasShared(...FOLDER)) return []
  const files = GROUPS.flatMap((group) =>
    readdirSync(sharedPath(...FOLDER, group)).map((name) => `${group}/${name}`),
  )
  if (ALL) return files
  const size = (file: string) => statSync(sharedPath(...FOLDER, file)).size
  const bySource = Map.groupBy(files, (file) => file.split('__')[0] ?? file)
  return [...bySource.values()]
    .flatMap((group) => group.sort((a, b) => size(a) - size(b)).slice(0, group.length > 20 ? 2 : 1))
    .filter((file) => size(file) < SAMPLE_BYTES_MAX)
}

const SAMPLE_BYTES_MAX = 150_000
const files = chosen()

describe.skipIf(files.length === 0)('recorded trajectories (skipped where they are not at hand)', () => {
  test.each(files)(
    '%s imports, reads back byte for byte and verifies',
    async (file) => {
      const text = readShared(...FOLDER, file)
      const store = memoryStore()
      const imported = await recordTrajectory(
        readTrajectory(text, file),
        { store, agentId: 'a', secrets: 'off' },
        async (memory) => {
          const prompt = await memory.prompt()
          expect(prompt.tokens).toBeLessThanOrEqual(8_000)
          await memory.recordRequest(prompt, 'none')
        },
      )
      const actions = text
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line): unknown => JSON.parse(line))
        .filter(isObject)
        .filter((line) => !('meta' in line))
      expect(imported.turns).toBe(actions.length)
      const results: EventFor<'tool_result'>[] = []
      for await (const event of store.read('a')) if (event.type === 'tool_result') results.push(event)
      expect(results).toHaveLength(actions.length)
      for (const [at, result] of results.entries()) {
        const source = actions[at]?.['raw_output']
        const raw = await fieldOf(store, result, 'raw_output')
        if (typeof source === 'string') expect(raw === source, `action ${at + 1}`).toBe(true)
        else expect(JSON.parse(String(raw))).toEqual(source)
      }
      expect((await verifyLog(store, 'a')).findings).toEqual([])
    },
    ALL ? 900_000 : 60_000,
  )
})
