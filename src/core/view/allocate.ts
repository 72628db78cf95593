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
 * Divides a budget among claims: first what each must have, then by weight. Nobody gets more than it needs, so nothing
 * is shortened while there is room for all. Integers only.
 */
export function allocate(budget: number, claims: readonly Claim[]): number[] {
  let left = Math.max(0, budget)
  const given = claims.map(({ need, floor = 0 }) => {
    const tokens = Math.min(need, floor, left)
    left -= tokens
    return tokens
  })
  const lack = (at: number): number => (claims[at]?.need ?? 0) - (given[at] ?? 0)
  let open = claims.flatMap(({ weight }, at) => (lack(at) > 0 && weight > 0 ? [at] : []))
  while (open.length > 0 && left > 0) {
    const weights = open.reduce((sum, at) => sum + (claims[at]?.weight ?? 0), 0)
    const share = (at: number): number => Math.floor((left * (claims[at]?.weight ?? 0)) / weights)
    const met = new Set(open.filter((at) => lack(at) <= share(at)))
    if (met.size > 0) {
      for (const at of met) {
        left -= lack(at)
        given[at] = claims[at]?.need ?? 0
      }
      open = open.filter((at) => !met.has(at))
      continue
    }
    // Nobody gets all it needs: the last one whose share is too small to be of use leaves it to the others.
    const useless = open.findLast((at) => (given[at] ?? 0) + share(at) < (claims[at]?.least ?? 0))
    if (useless === undefined) {
      for (const at of open) given[at] = (given[at] ?? 0) + share(at)
      break
    }
    open = open.filter((at) => at !== useless)
  }
  return given
}
