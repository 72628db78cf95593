import { cap } from '../text/cut.ts'
import { removeKnowledge, sizeOf } from './knowledge.ts'
import type { State } from './state.ts'

/** Keeps the state itself within its caps: the oldest actions and the knowledge unused for longest go first. */
export function forget(state: State): State {
  return forgetKnowledge(forgetActions(state))
}

function forgetActions(state: State): State {
  const kept = cap(state.settings, 'kept_actions')
  if (state.actions.length <= kept) return state
  const gone = state.actions.slice(0, state.actions.length - kept)
  const first = state.forgotten?.first ?? gone[0]?.ref ?? 0
  return {
    ...state,
    actions: state.actions.slice(-kept),
    forgotten: {
      count: (state.forgotten?.count ?? 0) + gone.length,
      first,
      last: gone.at(-1)?.ref ?? first,
    },
  }
}

function forgetKnowledge(state: State): State {
  const entriesMax = cap(state.settings, 'knowledge_entries')
  const charsMax = cap(state.settings, 'knowledge_total_chars')
  let count = Object.keys(state.knowledge).length
  if (count <= entriesMax && state.knowledge_chars <= charsMax) return state
  const oldest = Object.entries(state.knowledge).sort(
    ([a, x], [b, y]) => x.used - y.used || x.ref - y.ref || (a < b ? -1 : 1),
  )
  const gone: string[] = []
  let chars = state.knowledge_chars
  for (const [key, entry] of oldest) {
    if (count <= entriesMax && chars <= charsMax) break
    gone.push(key)
    count--
    chars -= sizeOf(key, entry.value)
  }
  const left = removeKnowledge(state, gone)
  return { ...left, knowledge_forgotten: left.knowledge_forgotten + gone.length }
}
