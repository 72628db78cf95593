import type { Json } from '../event/json.ts'
import { isNotes, type Notes } from './notes.ts'
import type { Packet } from './packet.ts'
import { Queue } from './queue.ts'
import type { Room } from './room.ts'
import type { Entry, State } from './state.ts'
import { specificNames } from './terms.ts'

/**
 * Which knowledge to show when it does not all fit. Plain values come first, latest used first. Notes are
 * chosen line by line: each line is worth the names it adds to the packet, a name is worth more the more
 * recently and often it was seen or used, and the line with the most worth per token goes in next.
 */
export function chooseKnowledge(state: State, room: Room, shown: readonly string[]): Packet['knowledge'] {
  const chosen = new Map<string, Packet['knowledge'][string]>()
  const byUse = Object.entries(state.knowledge).sort(
    ([a, x], [b, y]) => y.used - x.used || y.ref - x.ref || (a < b ? -1 : 1),
  )
  const share = room.share(0.6)
  for (const [key, entry] of byUse) {
    if (isNotes(entry.value)) continue
    const { value, source_turn } = entry
    if (room.take({ in: 'knowledge', key, value, source_turn }, share))
      chosen.set(key, { value, source_turn })
  }
  for (const [key, value] of chooseLines(state, byUse, room, shown)) {
    chosen.set(key, { value, source_turn: state.knowledge[key]?.source_turn ?? 0 })
  }
  // Rendered in the order of the state: what was learned last stands last, near the actions.
  const order = Object.keys(state.knowledge).filter((key) => chosen.has(key))
  return Object.fromEntries(order.map((key) => [key, chosen.get(key) ?? { value: null, source_turn: 0 }]))
}

/** A part of an entry that can be shown on its own; `line` -1 is the entry's head. */
interface Unit {
  readonly entry: Candidate
  readonly line: number
  readonly names: readonly string[]
  readonly cost: number
}

interface Candidate {
  readonly key: string
  readonly notes: Notes
  readonly head: Unit
  shown: boolean
}

function chooseLines(
  state: State,
  byUse: readonly [string, Entry][],
  room: Room,
  shown: readonly string[],
): [string, Json][] {
  const worth = worthOf(state, byUse)
  for (const text of [state.goal.value, ...shown]) for (const name of specificNames(text)) worth.delete(name)
  const candidates: Candidate[] = []
  const units: Unit[] = []
  for (const [key, entry] of byUse) {
    if (!isNotes(entry.value)) continue
    const unitsOfEntry = unitsOf(key, entry.value, room)
    candidates.push(unitsOfEntry.candidate)
    units.push(...unitsOfEntry.units)
  }
  const taken = new Map<Candidate, number[]>()
  const queue = new Queue<Unit>()
  const gain = (unit: Unit): number => {
    let total = 0
    for (const name of unit.names) total += worth.get(name) ?? 0
    const head = unit.line < 0 || unit.entry.shown ? undefined : unit.entry.head
    if (head) for (const name of head.names) total += worth.get(name) ?? 0
    return total / (unit.cost + (head?.cost ?? 0))
  }
  units.forEach((unit, order) => {
    queue.push({ item: unit, order, gain: gain(unit) })
  })
  for (let next = queue.pop(); next; next = queue.pop()) {
    const now = gain(next.item)
    if (now <= 0) continue
    if (now < next.gain - 1e-12) {
      queue.push({ ...next, gain: now })
      continue
    }
    const { entry, line } = next.item
    if (line < 0 && entry.shown) continue
    const cost = next.item.cost + (line < 0 || entry.shown ? 0 : entry.head.cost)
    if (!room.spend(cost)) continue
    entry.shown = true
    const lines = taken.get(entry) ?? []
    if (line >= 0) lines.push(line)
    taken.set(entry, lines)
    for (const name of [...next.item.names, ...entry.head.names]) worth.delete(name)
  }
  return [...taken].map(([entry, lines]) => [entry.key, shorten(entry.notes, lines)])
}

function shorten(notes: Notes, lines: readonly number[]): Json {
  const kept = [...lines].sort((a, b) => a - b).map((at) => notes.lines[at])
  return { about: notes.about, lines: kept.map((line) => [line?.[0] ?? 0, line?.[1] ?? '']) }
}

function unitsOf(key: string, notes: Notes, room: Room): { candidate: Candidate; units: Unit[] } {
  const cached = namesOf(notes)
  const headValue: Json = { about: notes.about, lines: [] }
  const candidate: Candidate = {
    key,
    notes,
    shown: false,
    head: {
      line: -1,
      names: [...specificNames(key), ...cached.about],
      cost: room.cost({ in: 'knowledge', key, value: headValue, source_turn: 0 }),
      get entry() {
        return candidate
      },
    },
  }
  const units = notes.lines.map(([line, text], at) => ({
    entry: candidate,
    line: at,
    names: cached.lines[at] ?? [],
    cost: room.cost({ in: 'line', line, text }),
  }))
  return { candidate, units: [candidate.head, ...units] }
}

/** How much each name is worth: the sum over where it was seen of a value that halves with age. */
function worthOf(state: State, byUse: readonly [string, Entry][]): Map<string, number> {
  const worth = new Map<string, number>()
  const now = state.turn
  for (const [key, entry] of byUse) {
    if (!isNotes(entry.value)) continue
    const fresh = 1 / (1 + (now - entry.source_turn) / 4)
    const seen = namesOf(entry.value)
    const names = new Set([...specificNames(key), ...seen.about, ...seen.lines.flat()])
    for (const name of names) worth.set(name, (worth.get(name) ?? 0) + fresh)
  }
  return worth
}

const nameCache = new WeakMap<object, { about: string[]; lines: string[][] }>()

function namesOf(notes: Notes): { about: string[]; lines: string[][] } {
  let names = nameCache.get(notes)
  if (!names) {
    names = {
      about: specificNames(notes.about),
      lines: notes.lines.map(([line, text]) => specificNames(line > 9 ? `${line} ${text}` : text)),
    }
    nameCache.set(notes, names)
  }
  return names
}
