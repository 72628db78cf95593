import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readTrajectory } from '../../src/import/read.ts'
import { recordTrajectory } from '../../src/import/record.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { builtInSummarizers } from '../../src/summarize/built-in.ts'
import { defineSummarizer } from '../../src/summarize/summarizer.ts'
import { testSummarizer } from '../../src/testing/index.ts'
import { faultOf } from '../../src/testing/summarizer.ts'

const folder = join(process.env['TWOTRACK_SHARED'] ?? '../shared', 'grounding', 'trajectories')
/** Every recording with TWOTRACK_ALL=1; a few of each kind otherwise. */
const EVERY = process.env['TWOTRACK_ALL'] === '1' ? 1 : 24

describe('the contract of summaries', () => {
  test('the test kit refuses a summary of several lines and one that changes', () => {
    let times = 0
    const long = defineSummarizer({ name: 'long', summarize: () => ({ summary: 'One.\nTwo.' }) })
    const moody = defineSummarizer({ name: 'moody', summarize: () => ({ summary: `Call ${times++}` }) })
    expect(() => testSummarizer(long, {})).toThrow('more than one line')
    expect(() => testSummarizer(moody, {})).toThrow('not pure')
  })

  test.for(builtInSummarizers.map((one) => [one.name, one] as const))('%s keeps it', ([, summarizer]) => {
    for (const args of [{ path: 'src/a.ts' }, { pattern: 'x' }, { command: 'pytest -q' }, {}])
      for (const text of ['', 'a.ts:1:x\nb.ts:2:y', '3 passed, 1 failed in 0.2s', '{"a": [1, 2]}'])
        for (const outcome of ['success', 'error'] as const)
          testSummarizer(summarizer, { args, text, outcome })
  })

  test.skipIf(!existsSync(folder))('recorded runs: one or two sentences on one line', async () => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.jsonl'))
      .sort()
      .filter((_, at) => at % EVERY === 0)
    const faults: string[] = []
    for (const file of files) {
      const store = memoryStore()
      await recordTrajectory(readTrajectory(readFileSync(join(folder, file), 'utf8'), file), {
        store,
        agentId: 'a',
      })
      for await (const { delta, seq } of store.read('a'))
        for (const { summary } of delta?.add_action ?? []) {
          const fault = faultOf(summary)
          if (fault !== undefined) faults.push(`${file} #${seq} ${fault}: ${summary}`)
        }
    }
    expect(faults).toEqual([])
  })
})
