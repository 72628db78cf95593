export interface Queued<T> {
  readonly item: T
  readonly order: number
  readonly gain: number
}

/** A binary heap: most gain first, then the order of entry, so that the choice is always the same. */
export class Queue<T> {
  readonly #heap: Queued<T>[] = []

  push(item: Queued<T>): void {
    const heap = this.#heap
    heap.push(item)
    for (let at = heap.length - 1; at > 0; ) {
      const up = (at - 1) >> 1
      if (!this.#before(at, up)) break
      this.#swap(at, up)
      at = up
    }
  }

  pop(): Queued<T> | undefined {
    const heap = this.#heap
    const top = heap[0]
    const last = heap.pop()
    if (top === undefined || last === undefined || heap.length === 0) return top
    heap[0] = last
    for (let at = 0; ; ) {
      const left = 2 * at + 1
      const right = left + 1
      let best = at
      if (left < heap.length && this.#before(left, best)) best = left
      if (right < heap.length && this.#before(right, best)) best = right
      if (best === at) return top
      this.#swap(at, best)
      at = best
    }
  }

  #before(a: number, b: number): boolean {
    const x = this.#heap[a]
    const y = this.#heap[b]
    if (!x || !y) return false
    return x.gain > y.gain || (x.gain === y.gain && x.order < y.order)
  }

  #swap(a: number, b: number): void {
    const x = this.#heap[a]
    const y = this.#heap[b]
    if (!x || !y) return
    this.#heap[a] = y
    this.#heap[b] = x
  }
}
