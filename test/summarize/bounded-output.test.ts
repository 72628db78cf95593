import { describe, expect, test } from 'vitest'
import { Memory } from '../../src/memory.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { boundedOutput } from '../../src/summarize/bounded-output.ts'

const lines = (count: number) =>
  Array.from({ length: count }, (_, at) => `step ${at} of the "build" went well`).join('\n')

describe('an output of megabytes', () => {
  test('shows its end, its errors and how long it is', async () => {
    const output = `${lines(60_000)}\nERROR: src/shop.ts:12 no such thing\n${lines(2_000)}\nFATAL: the disk is full`
    const memory = await Memory.open({ store: memoryStore(), agentId: 'a', goal: 'Build it.' })
    await memory.startTurn()
    const call = await memory.recordCall({ tool: 'build', args: {} })
    const { data } = await memory.recordResult({ call, returned: output })
    expect(data.summarizer).toBe('generic')
    const { body } = await memory.prompt()
    for (const said of ['FATAL: the disk is full', 'src/shop.ts:12 no such thing', '62,002 lines'])
      expect(body).toContain(said)
    await memory.close()
  })

  test.each([
    ['one line', 'x'.repeat(900_000)],
    ['pairs of units', '😀'.repeat(200_001)],
    ['empty lines', '\n'.repeat(500_000)],
    ['lines', lines(30_000)],
  ])('%s: is bounded, both ends stand, and what is left out is marked', (_, text) => {
    const { output } = boundedOutput(text, [100], 24_000)
    expect(output.length).toBeLessThanOrEqual(24_000)
    expect(output.isWellFormed()).toBe(true)
    expect(output).toMatch(/…|⋮/)
    expect(text.startsWith(output.slice(0, 500)) && text.endsWith(output.slice(-500))).toBe(true)
  })

  test('important lines are the same lines after the cut, in their order', () => {
    const text = lines(30_000)
    const { output, highlights } = boundedOutput(text, [20_000, 3, 29_999, 15_000], 24_000)
    const shown = output.split('\n')
    expect(highlights.map((at) => shown[at]?.split(' ')[1])).toEqual(['20000', '3', '29999', '15000'])
    const gaps = [...output.matchAll(/⋮ (\d+) lines/g)].map(([, count]) => Number(count))
    expect(gaps.reduce((sum, count) => sum + count, shown.length - gaps.length)).toBe(30_000)
  })
})
