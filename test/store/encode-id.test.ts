import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeId, FILE_NAME_BYTES_MAX } from '../../src/core/store/encode-id.ts'
import { hostileIds } from '../../src/testing/store-cases/ids.ts'

const seed = Number(process.env['SEED'] ?? 20260101)
const anyId = fc.oneof(
  fc.string({ minLength: 1, unit: 'binary' }),
  fc.string({
    minLength: 1,
    maxLength: 6,
    unit: fc.constantFrom('a', 'A', '%', '4', '1', '.', '/', ':', '~', '\ud800'),
  }),
  fc.string({ minLength: 150, maxLength: 512, unit: fc.constantFrom('a', 'b', 'É') }),
)

describe(`encodeId (seed ${seed})`, () => {
  it('gives names that are safe on any disk', () => {
    fc.assert(
      fc.property(anyId, (id) => {
        const name = encodeId(id)
        expect(name).toMatch(/^[a-z0-9_%~-][a-z0-9_.%~-]*$/)
        expect(name.length).toBeLessThanOrEqual(FILE_NAME_BYTES_MAX)
      }),
      { seed },
    )
  })

  it('never gives two ids one name, even where case is folded', () => {
    fc.assert(
      fc.property(anyId, anyId, (a, b) => {
        expect(encodeId(a).toLowerCase() === encodeId(b).toLowerCase()).toBe(a === b)
      }),
      { seed, numRuns: 2000 },
    )
    expect(new Set(hostileIds.map((id) => encodeId(id).toLowerCase())).size).toBe(hostileIds.length)
  })

  it('keeps plain ids readable and shortens long ones to a digest', () => {
    expect(encodeId('lint-src_a.ts')).toBe('lint-src_a.ts')
    expect(encodeId('../A:b')).toBe('%2e.%2f%41%3ab')
    expect(encodeId('x'.repeat(200))).toMatch(/^x{115}~[0-9a-f]{64}$/)
  })

  it('refuses an empty id', () => {
    expect(() => encodeId('')).toThrow(/empty/)
  })
})
