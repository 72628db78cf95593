import { isNotes, type Notes } from './notes.ts'
import type { Entry, State } from './state.ts'
import { specificNames, wordsOf, writtenNames } from './terms.ts'

/** What a piece of notes holds, by name; made once for each value, since values never change. */
export interface Named {
  readonly about: readonly string[]
  readonly lines: readonly (readonly string[])[]
  readonly names: readonly string[]
  /** The names of the lines as they are written there. */
  readonly written: ReadonlyMap<string, string>
  /** For each line, whether it defines something: its names are likelier to be used than those it mentions. */
  readonly defines: readonly boolean[]
}

const cache = new WeakMap<object, Named>()

export function namedIn(notes: Notes): Named {
  let named = cache.get(notes)
  if (!named) {
    const written = new Map<string, string>()
    for (const [, text] of notes.lines) writtenNames(text, written)
    named = {
      written,
      about: specificNames(notes.about),
      lines: notes.lines.map(([line, text]) => specificNames(line > 9 ? `${line} ${text}` : text)),
      names: (notes.names ?? []).flatMap((name) => specificNames(name)),
      defines: notes.lines.map(([, text]) => isDefinition(text)),
    }
    cache.set(notes, named)
  }
  return named
}

const DEFINING = new Set(
  `def class function func fn interface type const struct enum trait impl module package import from export async
   public private protected static pub abstract`.split(/\s+/),
)

function isDefinition(text: string): boolean {
  const trimmed = text.trimStart()
  const end = trimmed.indexOf(' ')
  return end > 0 && DEFINING.has(trimmed.slice(0, end))
}

interface Seen {
  last: number
  lines: number
  defined: boolean
  /** Stood in a line with a name that a recent call used. */
  beside: boolean
  /** How many names its newest notes hold: in a crowd each is worth less. */
  crowd: number
}

const RECENT_TURNS = 3
/** A bare number means little without what stands beside it. */
const NUMBER_WORTH = 0.25

/**
 * How much each name in the notes is worth to the next decision. The parts were weighed on recorded runs of
 * several harnesses (bench/grounding): names of now are worth more than old ones, used ones more than merely
 * seen ones, and so are paths, definitions, names beside used names, and names that share a word with them.
 */
export function worthOf(state: State, entries: readonly (readonly [string, Entry])[]): Map<string, number> {
  const seen = new Map<string, Seen>()
  const recent = recentNames(state)
  for (const [key, entry] of entries)
    if (isNotes(entry.value)) observe(seen, key, entry.value, entry.source_turn, recent)
  const words = new Set<string>()
  for (const name of recent) for (const word of wordsOf(name)) words.add(word)
  const worth = new Map<string, number>()
  for (const [name, facts] of seen) {
    const value = Math.exp(score(name, facts, state, words))
    worth.set(name, isNumber(name) ? value * NUMBER_WORTH : value)
  }
  return worth
}

function recentNames(state: State): Set<string> {
  const recent = new Set<string>()
  for (const [name, use] of Object.entries(state.names))
    if (state.turn - use.turn < RECENT_TURNS) recent.add(name)
  return recent
}

function observe(
  seen: Map<string, Seen>,
  key: string,
  notes: Notes,
  turn: number,
  recent: Set<string>,
): void {
  const named = namedIn(notes)
  const mine = new Map<string, { lines: number; defined: boolean; beside: boolean }>()
  const add = (names: readonly string[], defined: boolean) => {
    const used = names.filter((name) => recent.has(name)).length
    for (const name of names) {
      const fact = mine.get(name) ?? { lines: 0, defined: false, beside: false }
      fact.lines++
      fact.defined ||= defined
      fact.beside ||= used > (recent.has(name) ? 1 : 0)
      mine.set(name, fact)
    }
  }
  add([...specificNames(key), ...named.about], false)
  named.lines.forEach((names, at) => {
    add(names, named.defines[at] === true)
  })
  for (const name of named.names) add([name], false)
  for (const [name, fact] of mine) {
    const before = seen.get(name)
    const newest = !before || turn >= before.last
    seen.set(name, {
      last: Math.max(turn, before?.last ?? 0),
      lines: fact.lines + (before?.lines ?? 0),
      defined: fact.defined || before?.defined === true,
      beside: fact.beside || before?.beside === true,
      crowd: newest ? mine.size : before.crowd,
    })
  }
}

function score(name: string, seen: Seen, state: State, words: Set<string>): number {
  const age = state.turn - seen.last
  const shared = Math.min(2, wordsOf(name).filter((word) => words.has(word)).length)
  const use = Object.hasOwn(state.names, name) ? state.names[name] : undefined
  return (
    -0.62 * Math.log(1 + age) +
    (age === 0 ? 0.45 : 0) +
    0.22 * Math.log(seen.lines) +
    (isPath(name) ? 0.4 : 0) +
    (seen.defined ? 0.5 : 0) +
    (seen.beside ? 0.4 : 0) +
    0.36 * shared -
    0.45 * Math.log(seen.crowd) +
    (use ? 1.3 - 0.45 * Math.log(1 + state.turn - use.turn) + 0.8 * Math.log(use.count) : 0)
  )
}

const isNumber = (name: string): boolean => /^\d+$/.test(name)
const isPath = (name: string): boolean =>
  name.includes('/') || name.includes('\\') || /\.[a-z]{1,4}$/.test(name)
