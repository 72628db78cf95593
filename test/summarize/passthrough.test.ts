import { expect, test } from 'vitest'
import type { Json } from '../../src/event/json.ts'
import { passthrough } from '../../src/summarize/passthrough.ts'

const pass = (output: Json) =>
  passthrough.summarize({
    tool: 't',
    args: {},
    text: '',
    output,
    outcome: 'success',
    turn: 1,
    packet: undefined,
  })

test('passes on a summary, or else a message, and the delta', () => {
  expect(pass({ summary: 'Custom', message: 'other', knowledge_delta: { k: 1 } })).toEqual({
    summary: 'Custom',
    knowledge: { k: 1 },
  })
  expect(pass({ message: 'Operation complete' })?.summary).toBe('Operation complete')
})

test('a null delta and words that are no text do no harm', () => {
  expect(pass({ summary: 'x', knowledge_delta: null })).toEqual({ summary: 'x' })
  for (const output of [null, 1, [], {}, { summary: 7 }, { summary: '' }, { message: null }] as Json[])
    expect(pass(output)).toBeUndefined()
})

test('a message of any length gives a bounded summary, and notes of what it says', () => {
  const message = `Deployed.\n${'Service payments-api is at revision 4711 in eu-west-1.\n'.repeat(20_000)}`
  const passed = pass({ message, knowledge_delta: { k: 1 } })
  expect(passed?.summary.length).toBeLessThanOrEqual(300)
  expect(passed?.summary).toContain('Deployed.')
  expect(passed?.knowledge).toMatchObject({ k: 1 })
  expect(JSON.stringify(passed?.knowledge)).toContain('payments-api')
  expect(JSON.stringify(passed).length).toBeLessThan(40_000)
})

test('what stands beside the words is remembered as of any answer', () => {
  const passed = pass({ message: 'Order placed', order_id: 'A-7', lines: [{ sku: 'K-1', quantity: 2 }] })
  expect(passed?.summary).toBe('Order placed')
  const known = JSON.stringify(passed?.knowledge)
  expect(known).toContain('order_id: A-7')
  expect(known).toContain('K-1')
  expect(known).not.toContain('Order placed')
})

test('nothing is added to words that say it all, or to what the tool itself remembers', () => {
  expect(pass({ message: 'Saved', success: true, error: null })).toEqual({ summary: 'Saved' })
  expect(pass({ message: 'Saved', id: 'A-7', knowledge_delta: { saved: 'A-7' } })).toEqual({
    summary: 'Saved',
    knowledge: { saved: 'A-7' },
  })
})
