import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonical, type Json, toJson, tryParse, withinDepth } from '../../../src/core/event/json.ts'
import { JSON_DEPTH_MAX } from '../../../src/limits.ts'
import { values } from '../memory/histories.ts'
import { SEED, seeded } from '../memory/seeded.ts'

/** The same value with the keys of every object set in the opposite order. */
function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, field]) => [key, reversed(field)]),
  )
}

describe(`canonical JSON (SEED=${SEED})`, () => {
  test('is the same text whatever the order of keys, and reads back as the same value', () => {
    fc.assert(
      fc.property(fc.oneof(values, fc.jsonValue() as fc.Arbitrary<Json>), (value) => {
        const text = canonical(value)
        expect(canonical(reversed(value))).toBe(text)
        expect(canonical(JSON.parse(text))).toBe(text)
      }),
      seeded(300),
    )
  })

  test('keeps lone surrogates and keys of Object.prototype', () => {
    expect(JSON.parse(canonical('\ud800'))).toBe('\ud800')
    expect(canonical(JSON.parse('{"b":1,"__proto__":{"x":1},"a":2}'))).toBe(
      '{"__proto__":{"x":1},"a":2,"b":1}',
    )
  })

  test('refuses what JSON cannot hold', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, [undefined], () => 1, 1n])
      expect(() => canonical(value as Json)).toThrow(expect.objectContaining({ code: 'bad_event' }))
    const circular: Record<string, unknown> = {}
    circular['self'] = circular
    expect(() => canonical(circular as Json)).toThrow(expect.objectContaining({ code: 'limit' }))
  })
})

describe('any value as JSON', () => {
  test('never throws and stays within the depth that can be recorded', () => {
    fc.assert(
      fc.property(
        fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true }),
        (value) => {
          const json = toJson(value)
          expect(withinDepth(json)).toBe(true)
          expect(tryParse(canonical(json))).toBeDefined()
        },
      ),
      seeded(300),
    )
  })

  test('ends for values that do not', () => {
    const fresh = (): object => ({
      get a() {
        return fresh()
      },
      get b() {
        return fresh()
      },
    })
    class Endless extends Set {
      override *[Symbol.iterator](): SetIterator<unknown> {
        for (;;) yield 'more'
      }
    }
    const long = new Proxy([], { get: (_, key) => (key === 'length' ? 2 ** 32 - 1 : Reflect.get([], key)) })
    for (const value of [fresh(), new Endless()])
      expect(JSON.stringify(toJson([value, 'after']))).toContain('left out')
    expect(toJson([long, 'after'])).toEqual([{ length: 2 ** 32 - 1 }, 'after'])
    expect(toJson([new Array(2)])).toEqual([[null, null]])
  })

  test('depth is told without recursion and without going round in circles', () => {
    const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)
    expect(withinDepth(nested(JSON_DEPTH_MAX))).toBe(true)
    expect(withinDepth(nested(JSON_DEPTH_MAX + 1))).toBe(false)
    let deep: unknown = 1
    for (let level = 0; level < 1_000_000; level++) deep = [deep]
    expect(withinDepth(deep)).toBe(false)
    const self: Record<string, unknown> = {}
    Object.assign(self, { a: self, b: self })
    expect(withinDepth(self)).toBe(false)
  })
})
