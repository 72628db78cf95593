import { describe, expect, test } from 'vitest'
import { retryAfter, waitBeforeRetry } from '../../src/model/retry.ts'

const fault = { kind: 'server_error', retry: true } as const

describe('how long to wait before another attempt', () => {
  test('grows, with full jitter, for three attempts', () => {
    expect([1, 2, 3].map((failed) => waitBeforeRetry(failed, fault, () => 1))).toEqual([
      2_000,
      4_000,
      undefined,
    ])
    expect(waitBeforeRetry(1, fault, () => 0)).toBe(0)
  })

  test('is what the server asked, spread a little and capped', () => {
    expect(waitBeforeRetry(1, { ...fault, wait_ms: 5_000 }, () => 0.5)).toBe(5_500)
    expect(waitBeforeRetry(1, { ...fault, wait_ms: 30_000 }, () => 1)).toBe(30_000)
  })

  test('is never, for what would only fail again', () => {
    expect(waitBeforeRetry(1, { kind: 'unauthorized', retry: false }, () => 1)).toBeUndefined()
  })
})

describe('Retry-After', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  const wait = (value: string, name = 'retry-after') => retryAfter(new Headers({ [name]: value }), now)

  test.each([
    ['2', 2_000],
    ['0', 0],
    ['1.5', 1_500],
    ['86400', 30_000],
    ['9'.repeat(400), undefined],
    ['Thu, 01 Jan 2026 00:00:07 GMT', 7_000],
    ['Thu, 01 Jan 2099 00:00:00 GMT', 30_000],
    ['later', undefined],
    ['-5', undefined],
  ])('%s', (value, expected) => expect(wait(value)).toBe(expected))

  test('in milliseconds, where a server is precise', () => expect(wait('250', 'retry-after-ms')).toBe(250))

  test('M35: a clock that jumped makes neither a wait below zero nor one past the cap', () => {
    const headers = new Headers({ 'retry-after': 'Thu, 01 Jan 2026 00:00:07 GMT' })
    for (const jumped of [now + 1e12, now - 1e12, 0]) {
      const asked = retryAfter(headers, jumped)
      expect(asked).toBeGreaterThanOrEqual(0)
      expect(asked).toBeLessThanOrEqual(30_000)
    }
  })
})
