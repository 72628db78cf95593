import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { estimate } from '../../../src/core/tokens/estimate.ts'
import { FIXTURES } from './token-fixtures.ts'

const SEED = Number(process.env['SEED'] ?? 5)
const RUNS = Number(process.env['RUNS'] ?? 300)

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({
    unit: fc.constantFrom('a', 'Z', ' ', '\n', '\t', '.', '"', '7', '─', '│', '界', '\ud800'),
    maxLength: 60,
  }),
)

describe('the estimate', () => {
  test.each(Object.entries(FIXTURES))('is not below the exact count of %s', (_, { text, exact }) => {
    expect(estimate.count(text)).toBeGreaterThanOrEqual(exact)
  })

  test.each(['outline', 'json', 'code', 'prose'])(
    'is at most a tenth above the exact count of %s',
    (kind) => {
      const fixture = FIXTURES[kind]
      expect(estimate.count(fixture?.text ?? '')).toBeLessThanOrEqual((fixture?.exact ?? 0) * 1.1)
    },
  )

  test('counts the same under this name forever: a log of estimate-1 must replay', () => {
    const counts = Object.fromEntries(
      Object.entries(FIXTURES).map(([kind, { text }]) => [kind, estimate.count(text)]),
    )
    expect(counts).toEqual({
      outline: 388,
      json: 146,
      code: 75,
      prose: 49,
      digits: 39,
      'white space': 9,
      hex: 59,
      tree: 38,
      'control tokens': 17,
      emoji: 7,
      chinese: 14,
      german: 32,
    })
  })

  test('of nothing is nothing', () => {
    expect(estimate.count('')).toBe(0)
  })

  test('of digits, white space and unknown characters follows the rules', () => {
    expect(estimate.count('1234567890')).toBe(10)
    expect(estimate.count('\n'.repeat(31))).toBe(1)
    expect(estimate.count(' '.repeat(63))).toBe(3)
    expect(estimate.count('\u0000\u0007\r')).toBe(3)
    expect(estimate.count('\u{10ffff}')).toBe(4)
    expect(estimate.count('\ud800')).toBe(3)
  })

  test(`lines can be added up (seed ${SEED})`, () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        expect(estimate.count(`${a}\n${b}`)).toBeLessThanOrEqual(estimate.count(a) + estimate.count(b) + 1)
      }),
      { seed: SEED, numRuns: RUNS },
    )
  })

  test(`a further line never makes it smaller (seed ${SEED})`, () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        expect(estimate.count(`${a}\n${b}`)).toBeGreaterThanOrEqual(estimate.count(a))
      }),
      { seed: SEED, numRuns: RUNS },
    )
  })

  test(`stays between one token in 31 characters and one for each byte (seed ${SEED})`, () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const count = estimate.count(text)
        expect(count).toBeLessThanOrEqual(new TextEncoder().encode(text).length)
        expect(count).toBeGreaterThanOrEqual(Math.ceil(text.length / 31))
      }),
      { seed: SEED, numRuns: RUNS },
    )
  })

  test('of a million characters without a break is still a count', () => {
    for (const unit of ['a', 'é', '=', ' ', '─', '\ud83d\ude80']) {
      const text = unit.repeat(1_000_000)
      expect(estimate.count(text)).toBeGreaterThan(0)
    }
  })
})
