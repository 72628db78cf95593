import type { Delta } from '../event/delta.ts'

/**
 * Two deltas as one: applying the merge equals applying `first`, then `second`, at the same place in the log.
 * Middleware that proposes several deltas is recorded as one event this way.
 */
export function mergeDeltas(first: Delta, second: Delta): Delta {
  const merged: Delta = {
    ...withoutKnowledge(first),
    ...withoutKnowledge(second),
    ...list('add_action', first, second),
    ...list('change_files', first, second),
    ...list('update_plan', first, second),
    ...list('add_diagnostics', first, second),
    ...list('settle_problems', first, second),
    ...list('add_failed_attempt', first, second),
    ...list('explain_attempts', first, second),
    ...list('add_conclusions', first, second),
    ...mergeKnowledge(first, second),
  }
  if (first.set_extension && second.set_extension) {
    merged.set_extension = { ...first.set_extension, ...second.set_extension }
  }
  return merged
}

function withoutKnowledge(delta: Delta): Delta {
  const { supersedes: _s, update_knowledge: _u, remove_knowledge: _r, ...rest } = delta
  return rest
}

type List =
  | 'add_action'
  | 'change_files'
  | 'update_plan'
  | 'add_diagnostics'
  | 'settle_problems'
  | 'add_failed_attempt'
  | 'explain_attempts'
  | 'add_conclusions'

function list<K extends List>(key: K, a: Delta, b: Delta): Delta {
  const both = [...(a[key] ?? []), ...(b[key] ?? [])]
  return both.length > 0 ? { [key]: both } : {}
}

/**
 * Within one delta keys are superseded, then updated, then removed. What the second supersedes must therefore
 * not be updated by the first, and what the first removed and the second updates starts anew.
 */
function mergeKnowledge(first: Delta, second: Delta): Delta {
  const updatedLater = new Set(Object.keys(second.update_knowledge ?? {}))
  const removedFirst = first.remove_knowledge ?? []
  const gone = new Set(second.supersedes)
  const supersedes = [
    ...(first.supersedes ?? []),
    ...(second.supersedes ?? []),
    ...removedFirst.filter((key) => updatedLater.has(key)),
  ]
  const updates = new Map(Object.entries(first.update_knowledge ?? {}).filter(([key]) => !gone.has(key)))
  for (const [key, value] of Object.entries(second.update_knowledge ?? {})) {
    updates.delete(key)
    updates.set(key, value)
  }
  const removed = [
    ...removedFirst.filter((key) => !updatedLater.has(key)),
    ...(second.remove_knowledge ?? []),
  ]
  return {
    ...(supersedes.length > 0 ? { supersedes: [...new Set(supersedes)] } : {}),
    ...(updates.size > 0 ? { update_knowledge: Object.fromEntries(updates) } : {}),
    ...(removed.length > 0 ? { remove_knowledge: [...new Set(removed)] } : {}),
  }
}
