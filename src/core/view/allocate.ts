/** What wants to be shown: what it needs in whole, and its weight where not all fit. */
export interface Claim {
  readonly need: number
  readonly weight: number
  /** So much it gets before others get more. */
  readonly floor?: number
  /** With less than this (or than it needs) it would say nothing, so it gets none. */
  readonly least?: number
}

/**
 * Divides a budget among claims, as water finds its level: each gets its floor, then by weight as much as lets the sum
 * stay within the budget, and nobody more than it needs. Integers only.
 */
export function allocate(budget: number, claims: readonly Claim[]): readonly number[] {
  const floors = sumOf(claims.map(({ need, floor = 0 }) => Math.min(need, floor)))
  const part = Math.max(0, Math.min(budget, floors))
  const at = (level: number): number[] =>
    claims.map(({ need, weight, floor = 0, least = 0 }) => {
      const first = part < floors ? Math.floor((Math.min(need, floor) * part) / floors) : floor
      const given = Math.min(need, first + Math.floor((weight * level) / LEVELS))
      return given < Math.min(need, least) ? 0 : given
    })
  if (sumOf(claims.map(({ need }) => need)) <= budget) return claims.map(({ need }) => need)
  let [low, high] = [0, LEVELS]
  while (high < budget * LEVELS && sumOf(at(high)) <= budget) [low, high] = [high, high * 2]
  while (high - low > 1) {
    const level = Math.floor((low + high) / 2)
    if (sumOf(at(level)) <= budget) low = level
    else high = level
  }
  const given = at(low)
  // What is too little for the next one is more for the one that counts most.
  let left = budget - sumOf(given)
  for (const [index, { need }] of [...claims.entries()].sort(([, a], [, b]) => b.weight - a.weight)) {
    const has = given[index] ?? 0
    const more = has > 0 ? Math.min(left, need - has) : 0
    given[index] = has + more
    left -= more
  }
  return given
}

/** Steps of the level for each token and unit of weight. */
const LEVELS = 1024

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0)
