import { freshnessOf, type Hub, type NodeState } from '../../src/hub/hub.ts'

/** A hub that knows what it was told. */
export const memoryHub = (
  states: readonly NodeState[] = [],
): Hub & { put(state: NodeState): void; remove(key: string): void } => {
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
    put: (state) => void known.set(state.key, state),
    remove: (key) => void known.delete(key),
  }
}
