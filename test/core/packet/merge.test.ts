import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyDelta } from '../../../src/core/packet/apply.ts'
import { mergeDeltas } from '../../../src/core/packet/merge.ts'
import type { State } from '../../../src/core/packet/state.ts'
import { deltas } from '../memory/histories.ts'
import { SEED, seeded } from '../memory/seeded.ts'
import { stateAfter } from './states.ts'

const at = { seq: 50, turn: 7, from: 'tool' as const }
const text = (state: State) => JSON.stringify(state)

describe(`merging deltas (SEED=${SEED})`, () => {
  test('equals applying them one after the other at the same place', () => {
    fc.assert(
      fc.property(fc.array(deltas, { maxLength: 3 }), deltas, deltas, (before, a, b) => {
        const state = stateAfter(before)
        const apart = applyDelta(applyDelta(state, a, at), b, at)
        expect(text(applyDelta(state, mergeDeltas(a, b), at))).toBe(text(apart))
      }),
      seeded(300),
    )
  })

  test('does not depend on how three of them are grouped', () => {
    fc.assert(
      fc.property(deltas, deltas, deltas, (a, b, c) => {
        const state = stateAfter([])
        const left = mergeDeltas(mergeDeltas(a, b), c)
        const right = mergeDeltas(a, mergeDeltas(b, c))
        expect(text(applyDelta(state, left, at))).toBe(text(applyDelta(state, right, at)))
      }),
      seeded(200),
    )
  })

  test('an error that the same event sets and clears is not counted', () => {
    const state = stateAfter([])
    const apart = applyDelta(applyDelta(state, { set_error: 'x' }, at), { set_error: null }, at)
    expect(apart.error_count).toBe(0)
    expect(applyDelta(state, mergeDeltas({ set_error: 'x' }, { set_error: null }), at)).toEqual(apart)
  })

  test('an earlier event’s error stays counted when it is cleared', () => {
    const state = stateAfter([{ set_error: 'x' }])
    expect(applyDelta(state, { set_error: null }, at)).toMatchObject({ last_error: null, error_count: 1 })
  })
})
