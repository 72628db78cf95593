import { expect, test } from 'vitest'
import type { Json } from '../../src/core/event/json.ts'
import { passthrough } from '../../src/summarize/passthrough.ts'
import { observed } from '../../src/testing/summarizer.ts'

const pass = (output: Json) => passthrough.summarize(observed({ output }))

test('passes on a summary, or else a message; a delta in foreign JSON is shown and not learned', () => {
  expect(pass({ summary: 'Custom', message: 'other', knowledge_delta: { k: 1 } })).toEqual({
    summary: 'Custom',
    output: 'message: other, knowledge_delta: {k: 1}',
  })
  expect(pass({ message: 'Operation complete' })?.summary).toBe('Operation complete')
})

test('a null delta and words that are no text do no harm', () => {
  expect(pass({ summary: 'x', knowledge_delta: null })).toEqual({ summary: 'x', output: null })
  for (const output of [null, 1, [], {}, { summary: 7 }, { summary: '' }, { message: null }] as Json[])
    expect(pass(output)).toBeUndefined()
})

test('a message of any length gives a bounded summary, and is shown whole', () => {
  const message = `Deployed.\n${'Service payments-api is at revision 4711 in eu-west-1.\n'.repeat(200)}`
  const passed = pass({ message })
  expect(passed?.summary.length).toBeLessThanOrEqual(300)
  expect(passed?.summary).toContain('Deployed.')
  expect(passed?.output).toBe(message)
})

test('what stands beside the words is shown', () => {
  const passed = pass({ message: 'Order placed', order_id: 'A-7', lines: [{ sku: 'K-1', quantity: 2 }] })
  expect(passed).toEqual({
    summary: 'Order placed',
    output: 'order_id: A-7, lines: [{sku: K-1, quantity: 2}]',
  })
})

test('words that say it all need no output', () => {
  expect(pass({ message: 'Saved', success: true, error: null })).toEqual({ summary: 'Saved', output: null })
})
