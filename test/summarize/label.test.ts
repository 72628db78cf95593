import { expect, test } from 'vitest'
import { labelOf } from '../../src/summarize/call/label.ts'
import { genericSummarizer } from '../../src/summarize/generic.ts'
import { testSummarizer } from '../../src/testing/summarizer.ts'

const PROSE = 'Okay! The variable is set. It was "x" before. Now I fix the return.'

test('an argument of several sentences stands in quotation marks, so that the summary keeps to two', () => {
  expect(labelOf('say', { thought: PROSE })).toBe(
    `say "Okay! The variable is set. It was 'x' before. Now I fix the return."`,
  )
  for (const args of [
    { thought: PROSE },
    PROSE,
    { a: PROSE, b: 7 },
    { path: PROSE },
    { pattern: PROSE },
    { pattern: `"${PROSE}`, path: 'a' },
    { thought: PROSE.repeat(9) },
  ])
    testSummarizer(genericSummarizer, { tool: 'say', args, text: 'No action was found', outcome: 'error' })
})

test('other arguments stand as they are, and a label is never longer than its bound', () => {
  expect(labelOf('ask', { question: 'Which one? The second' })).toBe('ask Which one? The second')
  expect(labelOf('say', { thought: PROSE.repeat(9) })).toHaveLength(110)
})
