import { freshnessOf, type Hub, type NodeState } from './hub.ts'

/** A hub that knows what it was told: for tests, and for states that come from elsewhere. */
export interface MemoryHub extends Hub {
  /** Adds or replaces states. */
  put(...states: readonly NodeState[]): void
  remove(...keys: readonly string[]): void
}

export const memoryHub = (states: readonly NodeState[] = []): MemoryHub => {
  const known = new Map(states.map((state) => [state.key, state]))
  return {
    name: 'memory',
    async pull(nodes, _since, signal) {
      signal?.throwIfAborted()
      const found = nodes.flatMap((key) => known.get(key) ?? [])
      const missing = nodes.filter((key) => !known.has(key))
      return { states: found, missing, freshness: freshnessOf(found), source: 'memory' }
    },
    async close() {},
    put: (...added) => {
      for (const state of added) known.set(state.key, state)
    },
    remove: (...keys) => {
      for (const key of keys) known.delete(key)
    },
  }
}
