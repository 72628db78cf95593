/** Ids and times that are the same in every run. Imports nothing: processes that are started often load it. */
export function clock(): { now: () => Date; newId: () => string } {
  let ticks = 0
  let ids = 0
  return {
    now: () => new Date(Date.UTC(2026, 0, 1) + 1000 * ticks++),
    newId: () => `id-${++ids}`,
  }
}
