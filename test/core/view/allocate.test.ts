import { describe, expect, test } from 'vitest'
import { allocate, type Claim } from '../../../src/core/view/allocate.ts'

const given = (budget: number, claims: readonly Claim[]) => {
  return allocate(budget, claims)
}

describe('a budget is divided among claims', () => {
  test('everybody gets what it needs while there is room for all', () => {
    expect(
      given(100, [
        { need: 60, weight: 1 },
        { need: 40, weight: 1000 },
      ]),
    ).toEqual([60, 40])
  })

  test('what one does not need goes to the others by weight', () => {
    const claims = [
      { need: 10, weight: 500 },
      { need: 500, weight: 200 },
      { need: 500, weight: 100 },
    ]
    expect(given(310, claims)).toEqual([10, 200, 100])
  })

  test('a share too small to be of use is left to the others', () => {
    const claims = [
      { need: 500, weight: 90 },
      { need: 500, weight: 10, least: 40 },
    ]
    expect(given(100, claims)).toEqual([100, 0])
    expect(given(500, claims)).toEqual([450, 50])
  })

  test('what each must have is given before the rest is divided', () => {
    const claims = [
      { need: 500, weight: 900 },
      { need: 60, weight: 1, floor: 40 },
    ]
    expect(given(100, claims)).toEqual([60, 40])
    expect(given(30, claims)).toEqual([0, 30])
  })

  test('nothing is given where there is nothing', () => {
    expect(given(0, [{ need: 5, weight: 1 }])).toEqual([0])
    expect(given(-3, [{ need: 5, weight: 1 }])).toEqual([0])
    expect(given(9, [])).toEqual([])
  })
})
