import fc from 'fast-check'
import { expect, test } from 'vitest'
import { editDistance, nearest } from '../../src/text/suggest.ts'

test.each([
  ['', '', 0],
  ['abc', 'abc', 0],
  ['', 'abc', 3],
  ['limt', 'limit', 1],
  ['limti', 'limit', 1],
  ['kitten', 'sitting', 3],
  ['ca', 'abc', 3],
])('%j and %j are %d apart', (from, to, distance) => {
  expect(editDistance(from, to)).toBe(distance)
})

test('the distance is symmetric, and within the longer length', () => {
  const word = fc.string({ maxLength: 12, unit: fc.constantFrom('a', 'b', 'c') })
  fc.assert(
    fc.property(word, word, (from, to) => {
      const distance = editDistance(from, to)
      expect(distance).toBe(editDistance(to, from))
      expect(distance).toBeLessThanOrEqual(Math.max(from.length, to.length))
      expect(distance === 0).toBe(from === to)
    }),
    { seed: 7 },
  )
})

test('a suggestion is made only when it is close', () => {
  const known = ['enabled', 'packet_size_limit', 'kv']
  expect(nearest('enbaled', known)).toBe('enabled')
  expect(nearest('ENABLED', known)).toBe('enabled')
  expect(nearest('zebra', known)).toBeUndefined()
  expect(nearest('x'.repeat(1_000_000), known)).toBeUndefined()
})
