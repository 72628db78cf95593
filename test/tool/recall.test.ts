import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { excerptOf, RECALL_CHARS_MAX, recallTool } from '../../src/tool/recall.ts'
import { contextWith } from './context.ts'

const log = Array.from({ length: 1_000 }, (_, index) =>
  index === 700 ? 'E   AssertionError: total was 3, expected 4' : `line ${index + 1} passed`,
).join('\n')

const chunks = (text: string, size: number): Uint8Array[] => {
  const bytes = Buffer.from(text)
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  )
}

describe('recall', () => {
  it('brings back the lines around the best match, with their numbers', async () => {
    expect(await excerptOf([Buffer.from(log)], 'assertionerror expected')).toBe(
      [
        '5 of 1000 lines:',
        '699: line 699 passed',
        '700: line 700 passed',
        '701: E   AssertionError: total was 3, expected 4',
        '702: line 702 passed',
        '703: line 703 passed',
      ].join('\n'),
    )
  })

  it('says when nothing matches', async () => {
    expect(await excerptOf([Buffer.from(log)], 'segfault')).toBe('Nothing in 1000 lines matches "segfault".')
    expect(await excerptOf([], 'x')).toBe('Nothing in 0 lines matches "x".')
  })

  it('prefers the phrase over its words, and finds it after many lesser matches', async () => {
    const text = `${'a test passed\n'.repeat(500)}the failed test is test_total\n${'test\n'.repeat(500)}`
    const excerpt = await excerptOf([Buffer.from(text)], 'failed test')
    expect(excerpt).toContain('501: the failed test is test_total')
  })

  it('is bounded, and the same however the bytes are cut', async () => {
    const text = fc.array(fc.constantFrom('error é😀', 'ok', '', 'x'.repeat(2_000), 'error at b.py:3'), {
      maxLength: 200,
    })
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 50 }), async (lines, size) => {
        const whole = lines.join('\n')
        const excerpt = await excerptOf([Buffer.from(whole)], 'error b.py')
        expect(await excerptOf(chunks(whole, size), 'error b.py')).toBe(excerpt)
        expect(excerpt.length).toBeLessThan(RECALL_CHARS_MAX + 500)
      }),
      { seed: 20261115, numRuns: 50 },
    )
  })

  it('is a tool for those who were granted it', async () => {
    const recall = async (ref: number, query: string) => `${ref} ${query}`
    expect(await recallTool.run({ ref: 3, query: 'x' }, await contextWith({}, { recall }))).toBe('3 x')
    await expect(recallTool.run({ ref: 3, query: 'x' }, await contextWith())).rejects.toMatchObject({
      code: 'missing',
    })
  })
})
