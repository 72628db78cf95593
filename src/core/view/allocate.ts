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
export function allocate(budget: number, claims: readonly Claim[]): ReadonlyMap<Claim, number> {
  const given = new Map<Claim, number>()
  let left = Math.max(0, budget)
  const give = (claim: Claim, tokens: number): void => {
    given.set(claim, (given.get(claim) ?? 0) + tokens)
    left -= tokens
  }
  const lack = (claim: Claim): number => claim.need - (given.get(claim) ?? 0)
  for (const claim of claims) give(claim, Math.min(claim.need, claim.floor ?? 0, left))
  let open = claims.filter((claim) => lack(claim) > 0 && claim.weight > 0)
  while (open.length > 0 && left > 0) {
    const all = left
    const weights = open.reduce((sum, { weight }) => sum + weight, 0)
    const share = (claim: Claim): number => Math.floor((all * claim.weight) / weights)
    const met = open.filter((claim) => lack(claim) <= share(claim))
    // Where nobody gets all it needs, the last one whose share is too small to be of use leaves it to the others.
    const useless =
      met.length > 0
        ? undefined
        : open.findLast((claim) => (given.get(claim) ?? 0) + share(claim) < (claim.least ?? 0))
    if (met.length === 0 && useless === undefined) {
      for (const claim of open) give(claim, share(claim))
      break
    }
    for (const claim of met) give(claim, lack(claim))
    open = open.filter((claim) => claim !== useless && lack(claim) > 0)
  }
  return given
}
