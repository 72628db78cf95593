/** While one log waits for the disk another has the processor, and what they write is made durable together. */
const LOGS_AT_ONCE = 16

/** Does the same with many logs, some of them at once; what it gives is in their order. */
export async function eachLog<T, R>(
  logs: readonly T[],
  work: (log: T) => Promise<R>,
  onLog?: (done: number, all: number) => void,
): Promise<R[]> {
  const results: R[] = new Array(logs.length)
  const queue = [...logs.entries()].reverse()
  let done = 0
  const worker = async () => {
    for (let next = queue.pop(); next; next = queue.pop()) {
      const [at, log] = next
      results[at] = await work(log)
      onLog?.(++done, logs.length)
    }
  }
  const workers = Array.from({ length: LOGS_AT_ONCE }, () =>
    worker().catch((thrown: unknown) => {
      // Nothing new is begun, and what was begun comes to its end before anybody hears of it.
      queue.length = 0
      return { thrown }
    }),
  )
  for (const ended of await Promise.all(workers)) if (ended) throw ended.thrown
  return results
}
