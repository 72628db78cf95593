import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EVENT_VERSION, GENESIS, headerSchema } from '../../../src/core/event/event.ts'
import { isHeader, parseHeader } from '../../../src/core/event/header.ts'
import { refused } from '../../../src/testing/given.ts'
import { SEED, seeded } from '../memory/seeded.ts'

const good = {
  v: EVENT_VERSION,
  id: 'e1',
  run_id: 'r',
  agent_id: 'a',
  operation: 'lint',
  node_id: 'n',
  seq: 1,
  turn: 0,
  timestamp: '2026-01-28T23:59:59.000Z',
  type: 'turn_start',
  prev: GENESIS,
  payload_commitment: GENESIS,
  raw_commitment: null,
}
const odd = fc.oneof(
  fc.constantFrom('', 'x', null, undefined, 0, -1, 0.5, 2 ** 60, Number.NaN, true, [], {}, 'x'.repeat(513)),
  fc.constantFrom(
    '2026-02-30T00:00:00.000Z',
    '2026-13-01T00:00:00.000Z',
    '2026-01-01T24:00:00.000Z',
    '2026-01-01',
  ),
  fc.anything(),
)

describe(`the header of a line (SEED=${SEED})`, () => {
  test('what the check by hand takes, the schema takes', () => {
    expect(isHeader(good)).toBe(true)
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(good), 'more'), odd, (field, value) => {
        const header = { ...good, [field]: value }
        // Digests are compared, so their characters are left to that.
        fc.pre(!(typeof value === 'string' && value.length === GENESIS.length))
        if (isHeader(header)) expect(headerSchema.safeParse(header).error).toBeUndefined()
      }),
      seeded(2_000),
    )
  })

  test('what it is not sure of, the schema decides', () => {
    const leap = { ...good, timestamp: '2028-02-29T00:00:00.000Z' }
    expect(isHeader(leap)).toBe(false)
    expect(parseHeader(JSON.stringify(leap))).toEqual(leap)
    const never = JSON.stringify({ ...good, timestamp: '2026-02-29T00:00:00.000Z' })
    expect(refused('damaged', () => parseHeader(never)).message).toContain('timestamp')
    expect(refused('newer_version', () => parseHeader('{"v":99}')).message).toContain('Upgrade')
  })
})
