import { describe, expect, test } from 'vitest'
import type { Mutation } from './database.ts'
import { simulate } from './world.ts'

/** `npm run test:queue` runs thousands; a seed that is printed can be run alone. */
const SCHEDULES = Number(process.env['TWOTRACK_SCHEDULES'] ?? 150)
const FIRST = Number(process.env['TWOTRACK_SEED'] ?? 1)
const seeds = Array.from({ length: SCHEDULES }, (_, n) => FIRST + n)

const brokenIn = (without?: Mutation) =>
  seeds.flatMap((seed) => simulate(seed, without).broken.map((what) => `seed ${seed}: ${what}`))

describe('workers that pause, die and are cut off, with clocks that go wrong', () => {
  test('never write one log at once, lose no job and do nothing twice', () => {
    expect(brokenIn()).toEqual([])
  })

  test('get jobs done, and take over from each other', () => {
    const told = seeds.map((seed) => simulate(seed))
    const sum = (of: (one: (typeof told)[number]) => number) => told.reduce((all, one) => all + of(one), 0)
    expect(sum(({ done }) => done)).toBeGreaterThan(SCHEDULES * 3)
    expect(sum(({ taken_over }) => taken_over)).toBeGreaterThan(SCHEDULES / 4)
  })
})

describe('a rule that is left out is found', () => {
  const found: readonly (readonly [Mutation, RegExp])[] = [
    ['fencing', /under lease|old writer/],
    ['head', /two writers/],
    ['move_generation', /no longer had it/],
    ['effects_once', /happened 2 times/],
    ['lapsed_jobs', /is lost/],
  ]
  test.each(found)('%s', (without, what) => {
    expect(brokenIn(without).join('\n')).toMatch(what)
  })
})
