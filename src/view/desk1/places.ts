import type { Packet } from '../../packet/packet.ts'
import type { Named } from '../../packet/state.ts'
import { writtenNames } from '../../text/names.ts'
import { isPath, isSamePath } from '../../text/paths.ts'
import { costOf } from './fit.ts'
import type { Desk, Part } from './part.ts'

/** Points of a name; a doubling counts as often as it happened. Fitted on recorded runs, then rounded. */
const BASE = 200
const PER_DOUBLED_AGE = -12
const PER_DOUBLED_SIGHT = 5
const PER_DOUBLED_CROWD = -2
const PER_DOUBLED_COST = -35
const PATH = 9
const DEFINED = 8
const CALLED = 33
const PER_DOUBLED_CALL = 13
const PER_DOUBLED_CALL_AGE = -4
const PER_WORD_OF_THOUGHTS = 11
const PER_WORD_OF_GOAL = 16
const WORDS_MAX = 2
const WORD_CHARS_MIN = 4
/** Names that are looked at closely, best first. */
const NAMES_MAX = 300

/**
 * An index of places to return to: files, and what was used, seen or defined in them, as far as the packet does not show
 * it already. Names that matter most for what they cost come first.
 */
export function placesPart(desk: Desk, weight: number): Part {
  const ranked = rankedNames(desk)
  const { count, limit } = desk
  const namesIn = nameReader()
  return {
    weight,
    need: Math.min(
      limit,
      ranked.reduce((sum, { written }) => sum + count(written) + 2, 0),
    ),
    show(tokens, packet) {
      const shown = namesIn(packet)
      const places = new Map<string, Name[]>()
      const placeOf = placeFinder(places)
      let left = tokens
      for (const name of ranked) {
        const lower = name.written.toLowerCase()
        if (shown.has(lower)) continue
        shown.add(lower)
        const place = placeOf(isPath(name.written) ? name.written : name.path)
        if (!places.has(place)) for (const part of writtenNames(place).keys()) shown.add(part)
        const cost = places.has(place) ? 0 : costOf(place, count) + 2
        const own = isPath(name.written) ? 0 : count(textOf(name)) + 1
        if (cost + own > left) break
        left -= cost + own
        const held = places.get(place) ?? []
        places.set(place, own === 0 ? held : [...held, name])
      }
      return { ...packet, index: indexOf(places) }
    },
  }
}

/** Reads the names that a packet shows. It is filled several times, and most of its texts stay the same. */
function nameReader(): (packet: Packet) => Set<string> {
  const known = new Map<string, readonly string[]>()
  const namesOf = (text: string): readonly string[] => {
    const names = known.get(text) ?? [...writtenNames(text).keys()]
    known.set(text, names)
    return names
  }
  return (packet) => {
    const shown = new Set<string>()
    const visit = (value: unknown): void => {
      if (typeof value === 'string') for (const name of namesOf(value)) shown.add(name)
      else if (typeof value === 'object' && value !== null)
        for (const part of Object.values(value)) visit(part)
    }
    visit({ ...packet, keys: Object.keys(packet.knowledge) })
    return shown
  }
}

/** The same file may be named from different folders: the place that a path already has, or else itself. */
function placeFinder(places: ReadonlyMap<string, unknown>): (path: string) => string {
  const known = new Map<string, string>()
  return (path) => {
    const place =
      known.get(path) ??
      (path === ''
        ? undefined
        : [...places.keys()].find((other) => other !== '' && isSamePath(other, path))) ??
      path
    known.set(path, place)
    return place
  }
}

const indexOf = (places: ReadonlyMap<string, readonly Name[]>): Packet['index'] =>
  [...places].map(([path, names]) => ({
    path,
    places: names
      .toSorted((a, b) => a.line - b.line)
      .map(textOf)
      .join(', '),
  }))

const textOf = ({ written, line }: Name): string => (line === 0 ? written : `${line} ${written}`)

/** One name over all calls and outputs that held it. */
interface Name {
  readonly written: string
  /** How many calls used it, and the turn of the last of them. */
  calls: number
  called: number
  /** How many outputs showed it, the turn of the last event with it, and how many names stood beside it there. */
  seen: number
  turn: number
  crowd: number
  path: string
  line: number
}

function gathered(batches: readonly Named[]): Name[] {
  const names = new Map<string, Name>()
  const meet = (written: string, { turn, called, path, names: beside }: Named): Name => {
    let name = names.get(written)
    if (!name) {
      name = { written, calls: 0, called: 0, seen: 0, turn, crowd: 0, path: '', line: 0 }
      names.set(written, name)
    }
    name.turn = turn
    if (called) {
      name.calls++
      name.called = turn
    } else {
      name.seen++
      name.crowd = beside.length
    }
    if (path !== '') name.path = path
    return name
  }
  for (const batch of batches) {
    for (const written of batch.names) meet(written, batch)
    for (const [line, written] of batch.defined) meet(written, batch).line = line
  }
  return [...names.values()]
}

/** Names by their points for what they cost. */
function rankedNames({ state, count }: Desk): Name[] {
  const thoughts = wordsOf(
    state.thoughts
      .slice(-2)
      .map(({ value }) => value)
      .join('\n'),
  )
  const recent = new Set(thoughts)
  const goal = wordsIn(state.goal.value)
  return gathered(state.names)
    .map((name) => ({ name, points: pointsOf(name, state.turn) }))
    .sort((a, b) => b.points - a.points)
    .slice(0, NAMES_MAX)
    .map(({ name, points }) => {
      const words = wordsOf(name.written)
      const more = shared(words, recent) * PER_WORD_OF_THOUGHTS + shared(words, goal) * PER_WORD_OF_GOAL
      return { name, points: points + more + doublings(count(name.written) + 1) * PER_DOUBLED_COST }
    })
    .sort((a, b) => b.points - a.points)
    .map(({ name }) => name)
}

function pointsOf({ written, calls, called, seen, turn, crowd, line }: Name, now: number): number {
  return (
    BASE +
    doublings(now - turn) * PER_DOUBLED_AGE +
    doublings(seen) * PER_DOUBLED_SIGHT +
    doublings(crowd) * PER_DOUBLED_CROWD +
    (isPath(written) ? PATH : 0) +
    (line > 0 ? DEFINED : 0) +
    (calls === 0
      ? 0
      : CALLED + doublings(calls - 1) * PER_DOUBLED_CALL + doublings(now - called) * PER_DOUBLED_CALL_AGE)
  )
}

/** How often 1 must be doubled to pass a number: 0 for 0, 1 for 1, 2 for 2 and 3. */
const doublings = (value: number): number => 32 - Math.clz32(Math.max(0, value))

const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word.length >= WORD_CHARS_MIN)

const wordsIn = (text: string): ReadonlySet<string> =>
  new Set([...writtenNames(text).values()].flatMap(wordsOf))

function shared(words: readonly string[], known: ReadonlySet<string>): number {
  let count = 0
  for (const word of words) if (known.has(word) && ++count === WORDS_MAX) break
  return count
}
