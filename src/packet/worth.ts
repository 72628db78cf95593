import { namedIn } from './named.ts'
import { isNotes, type Notes } from './notes.ts'
import type { Entry, State } from './state.ts'
import { specificNames, wordsOf } from './terms.ts'
import { usesOf } from './uses.ts'
import { WEIGHTS } from './worth-weights.ts'

/** What is known of one name when its worth is judged, over all notes that hold it. */
interface Seen {
  /** The turn of the newest notes with it. */
  last: number
  lines: number
  notes: number
  defined: boolean
  /** Stood in a line with a name that a recent call used. */
  beside: boolean
  /** How many names its newest notes hold: in a crowd each is worth less. */
  crowd: number
  /** The place of its notes among all, latest used first. */
  rank: number
  /** Where in its newest notes it first stands, 0 to 1. */
  at: number
  written: string
}

const RECENT_TURNS = 3
/** How much more a likely name counts than its chance says: above 1, fewer are shown and surer ones. */
const SHARPNESS = 1.2

/**
 * How much each name in the notes is worth to the next decision: the chance that it is used, by a logistic
 * regression over the facts below. The weights were fitted on recorded runs of several harnesses
 * (bench/fit-worth.ts).
 */
export function worthOf(state: State, entries: readonly (readonly [string, Entry])[]): Map<string, number> {
  const worth = new Map<string, number>()
  eachFacts(state, entries, (name, facts) => {
    let score = 0
    for (let i = 0; i < facts.length; i++) score += (WEIGHTS[i] ?? 0) * (facts[i] ?? 0)
    worth.set(name, Math.exp(SHARPNESS * score))
  })
  return worth
}

/** The names of the facts, in their order. */
export const FACTS = [
  'age',
  'new',
  'lines',
  'notes',
  'path',
  'number',
  'round number',
  'defined',
  'beside used',
  'words of used',
  'words of goal',
  'crowd',
  'length',
  'rank',
  'place',
  'used',
  'used ago',
  'used often',
  'used number',
  'new number',
  'path seen once',
] as const

/** Calls `found` for every name with its facts; the array is reused. */
export function eachFacts(
  state: State,
  entries: readonly (readonly [string, Entry])[],
  found: (name: string, facts: readonly number[]) => void,
): void {
  const recent = recentUse(state)
  const goal = goalWords(state.goal.value)
  const facts = new Array<number>(FACTS.length).fill(0)
  const uses = usesOf(state.calls)
  for (const [name, seen] of seenIn(entries, recent.names)) {
    const age = state.turn - seen.last
    const use = uses.get(name)
    const number = isNumber(name)
    const path = !number && isPath(name)
    const words = wordsOf(seen.written)
    facts[0] = Math.log(1 + age)
    facts[1] = age === 0 ? 1 : 0
    facts[2] = Math.log(seen.lines)
    facts[3] = Math.log(seen.notes)
    facts[4] = path ? 1 : 0
    facts[5] = number ? 1 : 0
    facts[6] = number && name.endsWith('0') ? 1 : 0
    facts[7] = seen.defined ? 1 : 0
    facts[8] = seen.beside ? 1 : 0
    facts[9] = shared(words, recent.words)
    facts[10] = shared(words, goal)
    facts[11] = Math.log(seen.crowd)
    facts[12] = Math.min(name.length, 60) / 20
    facts[13] = Math.log(1 + seen.rank)
    facts[14] = seen.at
    facts[15] = use ? 1 : 0
    facts[16] = use ? Math.log(1 + state.turn - use.turn) : 0
    facts[17] = use ? Math.log(use.count) : 0
    facts[18] = number && use ? 1 : 0
    facts[19] = number && age === 0 ? 1 : 0
    facts[20] = path && seen.lines === 1 ? 1 : 0
    found(name, facts)
  }
}

interface RecentUse {
  readonly names: ReadonlySet<string>
  readonly words: ReadonlySet<string>
}

function recentUse(state: State): RecentUse {
  const names = new Set<string>()
  const words = new Set<string>()
  for (const [name, use] of usesOf(state.calls)) {
    if (state.turn - use.turn >= RECENT_TURNS) continue
    names.add(name)
    for (const word of wordsOf(name)) words.add(word)
  }
  return { names, words }
}

let goalKnown: { readonly goal: string; readonly words: ReadonlySet<string> } = { goal: '', words: new Set() }

function goalWords(goal: string): ReadonlySet<string> {
  if (goalKnown.goal !== goal) goalKnown = { goal, words: new Set(wordsOf(goal)) }
  return goalKnown.words
}

const SHARED_MAX = 2

function shared(words: readonly string[], known: ReadonlySet<string>): number {
  let count = 0
  for (const word of words) if (known.has(word) && ++count === SHARED_MAX) break
  return count
}

function seenIn(
  entries: readonly (readonly [string, Entry])[],
  recent: ReadonlySet<string>,
): Map<string, Seen> {
  const seen = new Map<string, Seen>()
  for (const [rank, [key, entry]] of entries.entries())
    if (isNotes(entry.value)) observe(seen, key, entry.value, entry.source_turn, rank, recent)
  return seen
}

function observe(
  seen: Map<string, Seen>,
  key: string,
  notes: Notes,
  turn: number,
  rank: number,
  recent: ReadonlySet<string>,
): void {
  const named = namedIn(key, notes)
  const beside = besideRecent(named.byName, named.lines, recent)
  const crowd = named.byName.size
  for (const [name, { lines, defined, at, written }] of named.byName) {
    const before = seen.get(name)
    if (before === undefined) {
      seen.set(name, {
        last: turn,
        lines,
        notes: 1,
        defined,
        beside: beside.has(name),
        crowd,
        rank,
        at,
        written,
      })
      continue
    }
    before.lines += lines
    before.notes++
    before.defined ||= defined
    before.beside ||= beside.has(name)
    before.rank = Math.min(before.rank, rank)
    if (turn > before.last) {
      before.last = turn
      before.crowd = crowd
      before.at = at
    }
  }
}

/** The names that share a line with a name of a recent call. */
function besideRecent(
  byName: ReadonlyMap<string, { readonly on: readonly number[] }>,
  lines: readonly (readonly string[])[],
  recent: ReadonlySet<string>,
): ReadonlySet<string> {
  const beside = new Set<string>()
  for (const used of recent) {
    for (const at of byName.get(used)?.on ?? [])
      for (const name of lines[at] ?? []) if (name !== used) beside.add(name)
  }
  return beside
}

export const isNumber = (name: string): boolean => {
  const code = name.charCodeAt(0)
  return code >= 48 && code <= 57
}

const isPath = (name: string): boolean => name.includes('/') || /\.[a-z]{1,4}$/.test(name)

/** Names that need not be shown again. */
export function forgetShown(worth: Map<string, number>, texts: Iterable<string>): void {
  for (const text of texts) for (const name of specificNames(text)) worth.delete(name)
}
