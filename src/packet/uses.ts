/** The names that one call used, in lower case. */
export interface Said {
  readonly turn: number
  readonly names: readonly string[]
}

/** How often calls used a name, and in which turn last. */
export interface Use {
  readonly count: number
  readonly turn: number
}

/** Adds a call; the oldest go when more than `max` names are held. Cheap: nothing but the list is copied. */
export function say(calls: readonly Said[], said: Said, max: number): readonly Said[] {
  let held = said.names.length
  let from = calls.length
  while (from > 0 && held + (calls[from - 1]?.names.length ?? 0) <= max)
    held += calls[--from]?.names.length ?? 0
  return [...calls.slice(from), said]
}

const cache = new WeakMap<readonly Said[], ReadonlyMap<string, Use>>()

/** The uses of every name; counted once for each list, since lists never change. */
export function usesOf(calls: readonly Said[]): ReadonlyMap<string, Use> {
  const known = cache.get(calls)
  if (known) return known
  const uses = new Map<string, Use>()
  for (const { turn, names } of calls) {
    for (const name of names) uses.set(name, { count: (uses.get(name)?.count ?? 0) + 1, turn })
  }
  cache.set(calls, uses)
  return uses
}
