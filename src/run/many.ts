import { messageOf } from '../errors.ts'

export interface Task<T> {
  readonly id: string
  /** Higher goes first; equal ones keep their order. */
  readonly priority?: number
  run(signal: AbortSignal): Promise<T>
}

export type Ended<T> = { readonly id: string } & ({ readonly value: T } | { readonly failed: string })

/** Runs tasks, a few at a time. One that fails does not touch the others; nothing new starts after an abort. */
export async function many<T>(
  tasks: readonly Task<T>[],
  concurrency: number,
  signal: AbortSignal,
  onEnd: (ended: Ended<T>) => void = () => {},
): Promise<Ended<T>[]> {
  const queue = tasks
    .map((task, order) => ({ task, order }))
    .sort((a, b) => (b.task.priority ?? 0) - (a.task.priority ?? 0) || a.order - b.order)
  const ended: Ended<T>[] = []
  const worker = async () => {
    for (let next = queue.shift(); next && !signal.aborted; next = queue.shift()) {
      const { task } = next
      const begin = async () => task.run(signal) // what throws at once is a rejection too
      const end: Ended<T> = await begin().then(
        (value) => ({ id: task.id, value }),
        (thrown: unknown) => ({ id: task.id, failed: messageOf(thrown) }),
      )
      ended.push(end)
      onEnd(end)
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, Math.min(concurrency, tasks.length)) }, worker))
  return ended
}
