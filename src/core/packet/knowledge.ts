import { cut } from '../../text/cut.ts'
import { canonical, type Json } from '../event/json.ts'
import { cap } from './caps.ts'
import type { At, Fact, State } from './state.ts'

export function updateKnowledge(state: State, values: Readonly<Record<string, Json>>, at: At): State {
  const updated = new Map(Object.entries(state.knowledge))
  for (const [longKey, value] of Object.entries(values)) {
    const key = cut(longKey, cap(state.settings, 'knowledge_key_chars'))
    if (!mayChange(updated.get(key), at)) continue
    const fact: Fact = {
      value: fit(value, cap(state.settings, 'knowledge_value_chars')),
      source_turn: at.turn,
      ref: at.seq,
      from: at.from,
    }
    // Deleting first keeps the order of last update, which is the order of rendering.
    updated.delete(key)
    updated.set(key, fact)
  }
  return { ...state, knowledge: Object.fromEntries(updated) }
}

export function removeKnowledge(state: State, keys: readonly string[], at: At): State {
  const gone = new Set(
    keys
      .map((key) => cut(key, cap(state.settings, 'knowledge_key_chars')))
      .filter((key) => Object.hasOwn(state.knowledge, key) && mayChange(state.knowledge[key], at)),
  )
  if (gone.size === 0) return state
  const kept = Object.entries(state.knowledge).filter(([key]) => !gone.has(key))
  return { ...state, knowledge: Object.fromEntries(kept) }
}

/** What a person said is changed by nobody but a person or the agent's own definition. */
const mayChange = (known: Fact | undefined, { from }: At): boolean =>
  known?.from !== 'person' || from === 'person' || from === 'definition'

/** A value that is too large becomes a text that is cut. */
function fit(value: Json, max: number): Json {
  const text = typeof value === 'string' ? value : canonical(value)
  return text.length <= max ? value : cut(text, max)
}
