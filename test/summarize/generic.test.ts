import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deltaSchema } from '../../src/event/delta.ts'
import { genericSummarizer } from '../../src/summarize/generic.ts'
import { type Observation, toDelta } from '../../src/summarize/summarizer.ts'
import { texts, values } from '../memory/histories.ts'
import { SEED, seeded } from '../memory/seeded.ts'

const observations: fc.Arbitrary<Observation> = fc.record({
  tool: texts,
  args: values,
  text: fc.array(texts, { maxLength: 5 }).map((parts) => parts.join('\n')),
  outcome: fc.constantFrom('success' as const, 'error' as const, 'partial' as const),
  turn: fc.nat(50),
  packet: fc.constant(undefined),
})

const seen = (text: string, more: Partial<Observation> = {}): Observation => ({
  tool: 'shell',
  args: { command: 'make' },
  text,
  outcome: 'success',
  turn: 1,
  packet: undefined,
  ...more,
})

describe(`the generic summarizer (SEED=${SEED})`, () => {
  test('answers anything with a delta that can be recorded, the same every time', () => {
    fc.assert(
      fc.property(observations, (observation) => {
        const summary = genericSummarizer.summarize(observation)
        if (!summary) throw new Error('it was silent')
        expect(deltaSchema.safeParse(toDelta(observation, summary)).error).toBeUndefined()
        expect(genericSummarizer.summarize(observation)).toEqual(summary)
        expect(summary.summary.length).toBeLessThan(2_000)
      }),
      seeded(200),
    )
  })

  test('keeps the place that an error names', () => {
    const text = `${'compiling a module\n'.repeat(300)}src/net/socket.rs:481: error[E0308]: mismatched types`
    const { knowledge } =
      genericSummarizer.summarize(seen(text, { outcome: 'error', error: 'exit code 1' })) ?? {}
    expect(JSON.stringify(knowledge)).toContain('src/net/socket.rs:481')
  })

  test('a huge output becomes a small delta', () => {
    const text = 'src/deep/file.ts:12: error in some_function_name\n'.repeat(300_000)
    const summary = genericSummarizer.summarize(seen(text))
    expect(JSON.stringify(summary).length).toBeLessThan(100_000)
  })

  test('output of nothing is said to be nothing', () => {
    for (const text of ['', '\n\n', '   ']) {
      const summary = genericSummarizer.summarize(seen(text))
      expect(summary?.summary).toEqual(expect.any(String))
      expect(summary?.knowledge ?? {}).toEqual({})
    }
  })
})
