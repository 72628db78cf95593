import { wordsOf } from '../text/names.ts'
import { namedIn } from './named.ts'
import { isNotes, type Notes } from './notes.ts'
import type { Entry, State } from './state.ts'
import { usesOf } from './uses.ts'

/** What is known of one name when its worth is judged, over all notes that hold it. */
interface Seen {
  /** The turn of the newest notes with it, and of the oldest. */
  last: number
  first: number
  lines: number
  notes: number
  defined: boolean
  /** How far, in lines, it stood from a name that a recent call used; in either direction, and below it. */
  near: number
  below: number
  /** How many names its newest notes hold: in a crowd each is worth less. */
  crowd: number
  /** The place of its notes among all, latest used first. */
  rank: number
  /** Where in its newest notes it first stands, 0 to 1. */
  at: number
  written: string
}

const RECENT_TURNS = 3
/** Farther away is as good as nowhere. */
const FAR_LINES = 99

/** The names of the facts, in their order. */
export const FACTS = [
  'age',
  'new',
  'first age',
  'lines',
  'notes',
  'path',
  'path seen once',
  'number',
  'number by ten',
  'number by five',
  'three digits',
  'more digits',
  'new number',
  'close number',
  'closer number',
  'defined',
  'beside used',
  'near used',
  'below used',
  'words of used',
  'words of goal',
  'ending of used',
  'crowd',
  'length',
  'rank',
  'place',
  'used',
  'used ago',
  'used often',
  'used number',
  'used and seen ago',
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
  const endings = new Set<string>()
  for (const name of uses.keys()) endings.add(endingOf(name))
  for (const [name, seen] of seenIn(entries, recent.names)) {
    const age = state.turn - seen.last
    const use = uses.get(name)
    const number = isNumber(name)
    const path = !number && isPath(name)
    const words = wordsOf(seen.written)
    const apart = number ? distance(Number(name), recent.numbers) : Number.POSITIVE_INFINITY
    let at = 0
    facts[at++] = Math.log(1 + age)
    facts[at++] = age === 0 ? 1 : 0
    facts[at++] = Math.log(1 + state.turn - seen.first)
    facts[at++] = Math.log(seen.lines)
    facts[at++] = Math.log(seen.notes)
    facts[at++] = path ? 1 : 0
    facts[at++] = path && seen.lines === 1 ? 1 : 0
    facts[at++] = number ? 1 : 0
    facts[at++] = number && name.endsWith('0') ? 1 : 0
    facts[at++] = number && (name.endsWith('0') || name.endsWith('5')) ? 1 : 0
    facts[at++] = number && name.length === 3 ? 1 : 0
    facts[at++] = number && name.length > 3 ? 1 : 0
    facts[at++] = number && age === 0 ? 1 : 0
    facts[at++] = apart < 50 ? 1 : 0
    facts[at++] = apart < 10 ? 1 : 0
    facts[at++] = seen.defined ? 1 : 0
    facts[at++] = seen.near === 0 ? 1 : 0
    facts[at++] = Math.log(1 + seen.near)
    facts[at++] = Math.log(1 + seen.below)
    facts[at++] = shared(words, recent.words)
    facts[at++] = shared(words, goal)
    facts[at++] = name.includes('.') && endings.has(endingOf(name)) ? 1 : 0
    facts[at++] = Math.log(seen.crowd)
    facts[at++] = Math.min(name.length, 60) / 20
    facts[at++] = Math.log(1 + seen.rank)
    facts[at++] = seen.at
    facts[at++] = use ? 1 : 0
    facts[at++] = use ? Math.log(1 + state.turn - use.turn) : 0
    facts[at++] = use ? Math.log(use.count) : 0
    facts[at++] = number && use ? 1 : 0
    facts[at++] = use ? Math.log(1 + age) : 0
    found(name, facts)
  }
}

interface RecentUse {
  readonly names: ReadonlySet<string>
  readonly words: ReadonlySet<string>
  readonly numbers: readonly number[]
}

function recentUse(state: State): RecentUse {
  const names = new Set<string>()
  const words = new Set<string>()
  const numbers: number[] = []
  for (const [name, use] of usesOf(state.calls)) {
    if (state.turn - use.turn >= RECENT_TURNS) continue
    names.add(name)
    if (isNumber(name)) numbers.push(Number(name))
    for (const word of wordsOf(name)) words.add(word)
  }
  return { names, words, numbers }
}

function distance(value: number, others: readonly number[]): number {
  let least = Number.POSITIVE_INFINITY
  for (const other of others) least = Math.min(least, Math.abs(other - value))
  return least
}

/** What stands behind the last dot: files of one kind, fields of one name. */
const endingOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1)

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
  const distances = distancesTo(recent, named.byName, notes.lines.length + (notes.names?.length ?? 0))
  const crowd = named.byName.size
  for (const [name, { lines, defined, at, written, on }] of named.byName) {
    const { near, below } = nearest(on, distances)
    const before = seen.get(name)
    if (before === undefined) {
      const known = {
        last: turn,
        first: turn,
        lines,
        notes: 1,
        defined,
        near,
        below,
        crowd,
        rank,
        at,
        written,
      }
      seen.set(name, known)
      continue
    }
    before.lines += lines
    before.notes++
    before.defined ||= defined
    before.near = Math.min(before.near, near)
    before.below = Math.min(before.below, below)
    before.rank = Math.min(before.rank, rank)
    before.first = Math.min(before.first, turn)
    if (turn > before.last) {
      before.last = turn
      before.crowd = crowd
      before.at = at
    }
  }
}

/** For each line how far above and below it the nearest one with a recently used name stands. */
interface Distances {
  readonly above: Uint8Array
  readonly under: Uint8Array
}

function distancesTo(
  recent: ReadonlySet<string>,
  byName: ReadonlyMap<string, { readonly on: readonly number[] }>,
  lines: number,
): Distances | undefined {
  const used: number[] = []
  for (const name of recent) used.push(...(byName.get(name)?.on ?? []))
  if (used.length === 0) return undefined
  const above = new Uint8Array(lines).fill(FAR_LINES)
  const under = new Uint8Array(lines).fill(FAR_LINES)
  for (const line of used) {
    above[line] = 0
    under[line] = 0
  }
  for (let line = 1; line < lines; line++)
    above[line] = Math.min(above[line] ?? FAR_LINES, (above[line - 1] ?? FAR_LINES) + 1)
  for (let line = lines - 2; line >= 0; line--)
    under[line] = Math.min(under[line] ?? FAR_LINES, (under[line + 1] ?? FAR_LINES) + 1)
  return { above, under }
}

const FAR = { near: FAR_LINES, below: FAR_LINES }

function nearest(on: readonly number[], distances: Distances | undefined): { near: number; below: number } {
  if (distances === undefined) return FAR
  let near = FAR_LINES
  let below = FAR_LINES
  for (const line of on) {
    below = Math.min(below, distances.above[line] ?? FAR_LINES)
    near = Math.min(near, below, distances.under[line] ?? FAR_LINES)
  }
  return { near, below }
}

export const isNumber = (name: string): boolean => {
  const code = name.charCodeAt(0)
  return code >= 48 && code <= 57
}

const isPath = (name: string): boolean => name.includes('/') || /\.[a-z]{1,4}$/.test(name)
