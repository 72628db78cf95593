import { canonical, type Json } from '../event/json.ts'
import { cap, cut } from '../text/cut.ts'
import { isNotes } from './notes.ts'
import type { At, Entry, State } from './state.ts'

export function updateKnowledge(state: State, values: Readonly<Record<string, Json>>, at: At): State {
  const keyMax = cap(state.settings, 'knowledge_key_chars')
  const valueMax = cap(state.settings, 'knowledge_value_chars')
  const updated = new Map(Object.entries(state.knowledge))
  let chars = state.knowledge_chars
  for (const [longKey, longValue] of Object.entries(values)) {
    const key = cut(longKey, keyMax)
    const value = fit(longValue, valueMax)
    const before = updated.get(key)
    const entry: Entry = {
      value,
      source_turn: at.turn,
      ref: at.seq,
      used: at.seq,
      uses: before?.uses ?? 0,
    }
    chars += sizeOf(key, value) - (before ? sizeOf(key, before.value) : 0)
    // Deleting first keeps the order of last update, which is the order of rendering.
    updated.delete(key)
    updated.set(key, entry)
  }
  return { ...state, knowledge: Object.fromEntries(updated), knowledge_chars: chars }
}

export function removeKnowledge(state: State, keys: readonly string[]): State {
  const keyMax = cap(state.settings, 'knowledge_key_chars')
  const gone = new Set(
    keys.map((key) => cut(key, keyMax)).filter((key) => Object.hasOwn(state.knowledge, key)),
  )
  if (gone.size === 0) return state
  let chars = state.knowledge_chars
  for (const key of gone) chars -= sizeOf(key, state.knowledge[key]?.value ?? null)
  const kept = Object.entries(state.knowledge).filter(([key]) => !gone.has(key))
  return { ...state, knowledge: Object.fromEntries(kept), knowledge_chars: chars }
}

/** A value that is too large keeps its shape as far as the model needs it: notes lose lines, others become text. */
function fit(value: Json, max: number): Json {
  if (sizeOf('', value) <= max) return value
  if (!isNotes(value)) return cut(typeof value === 'string' ? value : canonical(value), max)
  const about = cut(value.about, max >> 1)
  let room = max - about.length
  const lines: Json[] = []
  for (const [line, text] of value.lines) {
    room -= text.length + 8
    if (room < 0) break
    lines.push([line, text])
  }
  return { about, lines }
}

const sizes = new WeakMap<object, number>()

/** Characters that an entry holds in the state; cached by reference, since values never change. */
export function sizeOf(key: string, value: Json): number {
  if (typeof value !== 'object' || value === null) return key.length + String(value).length
  let size = sizes.get(value)
  if (size === undefined) {
    size = canonical(value).length
    sizes.set(value, size)
  }
  return key.length + size
}
