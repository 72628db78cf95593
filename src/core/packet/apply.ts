import { TwotrackError } from '../../errors.ts'
import { cut } from '../../text/cut.ts'
import type { Candidate, Delta } from '../event/delta.ts'
import { canonical, type Json } from '../event/json.ts'
import { addActions } from './actions.ts'
import { cap } from './caps.ts'
import { changeFiles } from './files.ts'
import { removeKnowledge, updateKnowledge } from './knowledge.ts'
import { updatePlan } from './plan.ts'
import type { At, Attempt, KeptConclusion, Sourced, State } from './state.ts'

type Step<K extends keyof Delta> = (state: State, part: NonNullable<Delta[K]>, at: At) => State

/** One step for each field of a delta, in the order in which they apply. */
const steps: { [K in keyof Required<Delta>]: Step<K> } = {
  add_action: (state, actions, at) => addActions(state, actions, at),
  change_files: (state, changes, at) => changeFiles(state, changes, at),
  update_plan: (state, changes, at) => updatePlan(state, changes, at),
  supersedes: (state, keys, at) => removeKnowledge(state, keys, at),
  update_knowledge: (state, values, at) => updateKnowledge(state, values, at),
  remove_knowledge: (state, keys, at) => removeKnowledge(state, keys, at),
  set_error: (state, error, at) => setError(state, error, at),
  set_state_summary: (state, text, at) => ({
    ...state,
    state_summary: sourced(cut(text, cap(state.settings, 'state_summary_chars')), at),
  }),
  set_node_summary: (state, text, at) => ({
    ...state,
    node_summary: sourced(cut(text, cap(state.settings, 'state_summary_chars')), at),
  }),
  settle_problems: (state, settled, at) => ({
    ...state,
    diagnostics: state.diagnostics.filter(({ value, ref }) => ref >= at.seq || !settled.includes(value)),
  }),
  add_diagnostics: (state, lines, at) => ({
    ...state,
    diagnostics: addLines(
      state.diagnostics,
      lines,
      at,
      cap(state.settings, 'diagnostics'),
      cap(state.settings, 'diagnostic_chars'),
    ),
  }),
  add_failed_attempt: (state, lines, at) => ({
    ...state,
    failed_attempts: addLines(
      state.failed_attempts,
      lines,
      at,
      cap(state.settings, 'failed_attempts'),
      cap(state.settings, 'failed_attempt_chars'),
    ),
  }),
  explain_attempts: (state, explanations, at) => ({
    ...state,
    failed_attempts: explanations.reduce<readonly Attempt[]>(
      (attempts, { ref, why, later }) =>
        attempts.map((attempt) =>
          attempt.ref === ref && ref < at.seq
            ? {
                ...attempt,
                ...(why === undefined || attempt.why ? {} : { why: sourced(why, at) }),
                ...(later === undefined || attempt.later ? {} : { later: sourced(later, at) }),
              }
            : attempt,
        ),
      state.failed_attempts,
    ),
  }),
  add_conclusions: (state, conclusions, at) => ({
    ...state,
    conclusions: conclusions.reduce<State['conclusions']>(
      (known, { text, score }) => withFinding(known, { ...sourced(text, at), score }, state),
      state.conclusions,
    ),
  }),
  set_focus: (state, focus, at) => ({
    ...state,
    focus: sourced(
      { place: cut(focus.place, 300), text: cut(focus.text, cap(state.settings, 'focus_chars')) },
      at,
    ),
  }),
  set_candidates: (state, candidates, at) => ({
    ...state,
    candidates: sourced(candidatesWithin(state, candidates), at),
  }),
  set_hub_context: (state, hub, at) => ({ ...state, hub: sourced(hubWithin(state, hub), at) }),
  set_extension: (state, values, at) => setExtensions(state, values, at),
}

const sourced = <T>(value: T, { seq, from }: At): Sourced<T> => ({ value, ref: seq, from })

/** Applies a delta field by field. Two deltas at the same place equal their merge (merge.ts) applied once. */
export function applyDelta(state: State, delta: Delta, at: At): State {
  let applied = state
  for (const key of Object.keys(steps) as (keyof Delta)[]) {
    applied = applyField(applied, key, delta, at)
  }
  return applied
}

function applyField<K extends keyof Delta>(state: State, key: K, delta: Delta, at: At): State {
  const part = delta[key]
  if (part === undefined) return state
  if (part === null) return clear(state, key, at)
  const step: Step<K> = steps[key]
  return step(state, part, at)
}

/** `null` clears: errors of earlier events stay counted, focus and hub context go. */
function clear(state: State, key: keyof Delta, at: At): State {
  if (key === 'set_error') return clearError(state, at)
  if (key === 'set_focus') return state.focus === null ? state : { ...state, focus: null }
  return state.hub === null ? state : { ...state, hub: null }
}

function clearError(state: State, at: At): State {
  if (state.last_error === null) return state
  // An error that the same event set and cleared never was one: so says the merge of the two.
  const error_count = state.error_count - (state.error_seq === at.seq ? 1 : 0)
  return { ...state, last_error: null, error_count, error_seq: 0 }
}

function setError(state: State, error: string, at: At): State {
  return {
    ...state,
    last_error: sourced(cut(error, cap(state.settings, 'error_chars')), at),
    // Counted once an event, so that a batch of deltas counts like their merge.
    error_count: state.error_count + (state.error_seq === at.seq ? 0 : 1),
    error_seq: at.seq,
  }
}

/** Appends lines, newest last; a null clears those before it, a repeated line moves to the end. */
function addLines(
  before: readonly Sourced<string>[],
  added: readonly (string | null)[],
  at: At,
  max: number,
  chars: number,
): readonly Sourced<string>[] {
  let lines = [...before]
  for (const line of added) {
    if (line === null) lines = []
    else {
      const value = cut(line, chars)
      lines = lines.filter((known) => known.value !== value)
      lines.push(sourced(value, at))
      if (lines.length > max) lines.shift()
    }
  }
  return lines
}

/**
 * Of what is said in much the same words only the newest stays, unless the one before said more; of too many, what says
 * least, and of those the oldest.
 */
function withFinding(
  known: State['conclusions'],
  found: Omit<KeptConclusion, 'words'>,
  { settings }: State,
): State['conclusions'] {
  const value = cut(found.value, cap(settings, 'conclusion_chars'))
  const words = wordsIn(value)
  const own = new Set(words)
  const others: KeptConclusion[] = []
  for (const one of known) {
    const shared = one.words.reduce((sum, word) => sum + (own.has(word) ? 1 : 0), 0)
    const isIn = (all: readonly string[]): boolean => shared * 3 >= all.length * 2
    if (isIn(one.words)) continue
    if (one.score > found.score && isIn(words)) return known
    others.push(one)
  }
  const all = [...others, { ...found, value, words }]
  if (all.length <= cap(settings, 'conclusions')) return all
  const least = all.reduce((low, one) => (one.score < low.score ? one : low))
  return all.filter((one) => one !== least)
}

const wordsIn = (text: string): string[] => [...new Set(text.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu))]

/** A call cut short would be another call, so a candidate too long is left out. */
function candidatesWithin(state: State, candidates: readonly Candidate[]): readonly Candidate[] {
  const chars = cap(state.settings, 'candidate_chars')
  return candidates
    .filter((candidate) => canonical(candidate).length <= chars)
    .slice(0, cap(state.settings, 'candidates'))
}

/** What the hub says, field by field while it fits. */
function hubWithin(
  state: State,
  { context, freshness }: NonNullable<Delta['set_hub_context']>,
): NonNullable<Delta['set_hub_context']> {
  let left = cap(state.settings, 'hub_chars')
  const kept = Object.entries(context).filter(([name, value]) => {
    const size = name.length + canonical(value).length
    if (size > left) return false
    left -= size
    return true
  })
  return { context: Object.fromEntries(kept), freshness: cut(freshness, 100) }
}

function setExtensions(state: State, values: Readonly<Record<string, Json>>, at: At): State {
  const extensions = new Map(Object.entries(state.extensions))
  for (const [name, value] of Object.entries(values)) {
    if (!Object.hasOwn(state.settings.extensions, name)) {
      const known = Object.keys(state.settings.extensions).join(', ') || 'none'
      throw new TwotrackError(
        'bad_packet',
        `Extension "${name}" is not registered with this run (registered: ${known}).`,
      )
    }
    const chars = canonical(value).length
    const max = cap(state.settings, 'extension_chars')
    if (chars > max) {
      throw new TwotrackError(
        'bad_packet',
        `Extension "${name}" has ${chars} characters as JSON; it may have ${max}.`,
      )
    }
    extensions.set(name, sourced(value, at))
  }
  return { ...state, extensions: Object.fromEntries(extensions) }
}
