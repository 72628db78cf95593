/**
 * Does the same with many items, at most `limit` of them at once; what it gives is in their order. After a failure, or
 * once the signal aborts, nothing new is begun, and what was begun comes to its end before the caller hears of it. Items
 * that were not begun leave holes.
 */
export async function atOnce<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result[]> {
  const results: Result[] = new Array(items.length)
  const failures: unknown[] = []
  let next = 0
  const worker = async () => {
    while (next < items.length && failures.length === 0 && !signal?.aborted) {
      const at = next++
      try {
        results[at] = await work(items[at] as Item) // below the length
      } catch (thrown) {
        failures.push(thrown)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, Math.min(limit, items.length)) }, worker))
  if (failures.length > 0) throw failures[0]
  return results
}
