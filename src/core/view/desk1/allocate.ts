/** A part of the packet that wants to be shown: what it needs in whole, and its weight where not all fit. */
export interface Claim {
  readonly need: number
  readonly weight: number
  /** With less than this (or than it needs) it would say nothing, so it gets none. */
  readonly least?: number
}

/**
 * Divides a budget among claims. Nobody gets more than it needs, so nothing is shortened while there is room for all;
 * what one does not need goes to the others by weight. Integers only.
 */
export function allocate(budget: number, claims: readonly Claim[]): number[] {
  const given = claims.map(() => 0)
  let left = Math.max(0, budget)
  let open = claims.flatMap(({ need, weight }, at) => (need > 0 && weight > 0 ? [at] : []))
  while (open.length > 0 && left > 0) {
    const weights = open.reduce((sum, at) => sum + (claims[at]?.weight ?? 0), 0)
    const share = (at: number): number => Math.floor((left * (claims[at]?.weight ?? 0)) / weights)
    const met = open.filter((at) => (claims[at]?.need ?? 0) <= share(at))
    if (met.length > 0) {
      for (const at of met) given[at] = claims[at]?.need ?? 0
      left -= met.reduce((sum, at) => sum + (claims[at]?.need ?? 0), 0)
      open = open.filter((at) => given[at] === 0)
      continue
    }
    // Nobody gets all it needs: the last one whose share is too small to be of use leaves it to the others.
    const useless = open.findLast((at) => share(at) < (claims[at]?.least ?? 0))
    if (useless === undefined) {
      for (const at of open) given[at] = share(at)
      break
    }
    open = open.filter((at) => at !== useless)
  }
  return given
}
