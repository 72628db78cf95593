import type { Json } from '../event/json.ts'
import { isNotes, subjectOf } from './notes.ts'
import type { Packet } from './packet.ts'
import { type Costs, costsOf } from './piece-costs.ts'
import { Queue } from './queue.ts'
import type { Room } from './room.ts'
import type { Entry, State } from './state.ts'
import { forgetShown, worthOf } from './worth.ts'

const PLAIN_SHARE = 0.5
/** A whole line says more than its names do: it may cost this much more for each of them. */
const LINE_BONUS = 1.25
/** What the newest call brought is read as lines rather than as names. */
const NEWEST_LINE_BONUS = 1.8
/** The same name is offered from this many notes, latest used first. */
const NAME_OFFERS_MAX = 3
const TOKENS_MIN = 3

/** Knowledge in the order in which it is offered, and what each name in it is worth; made once for a state. */
export interface Offers {
  readonly entries: readonly (readonly [string, Entry])[]
  readonly worth: ReadonlyMap<string, number>
}

export function offersOf(state: State): Offers {
  const entries = Object.entries(state.knowledge).sort(
    ([a, x], [b, y]) => y.used - x.used || y.ref - x.ref || (a < b ? -1 : 1),
  )
  return { entries, worth: worthOf(state, entries) }
}

/**
 * Which knowledge to show when it does not all fit. Plain values come first, latest used first. Notes are
 * chosen piece by piece: a line or a name is worth what it adds to the packet (worth.ts), and the piece with
 * the most worth per token goes in next, until the room is used up.
 */
export function chooseKnowledge(
  state: State,
  offers: Offers,
  room: Room,
  shown: readonly string[],
): Packet['knowledge'] {
  const chosen = new Map<string, Packet['knowledge'][string]>()
  const share = room.share(PLAIN_SHARE)
  for (const [key, { value, source_turn }] of offers.entries) {
    if (isNotes(value) || !room.take({ in: 'knowledge', key, value, source_turn }, share)) continue
    chosen.set(key, { value, source_turn })
  }
  const worth = new Map(offers.worth)
  forgetShown(worth, [state.goal.value, ...shown])
  for (const candidate of choosePieces(state, offers, worth, room)) {
    chosen.set(candidate.key, { value: shorten(candidate), source_turn: candidate.turn })
  }
  return inOrder(state, chosen)
}

/** What was learned last stands last, near the actions; notes on one subject stand together. */
function inOrder(
  state: State,
  chosen: ReadonlyMap<string, Packet['knowledge'][string]>,
): Packet['knowledge'] {
  const groups = new Map<string, string[]>()
  for (const key of Object.keys(state.knowledge)) {
    if (!chosen.has(key)) continue
    const subject = subjectOf(key)
    const group = groups.get(subject) ?? []
    groups.delete(subject)
    groups.set(subject, [...group, key])
  }
  const keys = [...groups.values()].flat()
  return Object.fromEntries(keys.map((key) => [key, chosen.get(key) ?? { value: null, source_turn: 0 }]))
}

/** The notes on one subject: its name is paid for once. */
interface Group {
  shown: boolean
}

interface Candidate {
  readonly key: string
  readonly turn: number
  readonly newest: boolean
  readonly costs: Costs
  readonly group: Group
  readonly headNames: readonly string[]
  shown: boolean
  readonly lines: number[]
  readonly names: string[]
}

/** A part of notes that can be shown. */
interface Piece {
  readonly of: Candidate
  /** A line by its index; -1 for a bare name or the head alone. */
  readonly at: number
  readonly name: string
  readonly names: readonly string[]
  readonly cost: number
}

function choosePieces(state: State, offers: Offers, worth: Map<string, number>, room: Room): Candidate[] {
  const groups = new Map<string, Group>()
  const queue = new Queue<Piece>()
  const candidates: Candidate[] = []
  const offered = new Map<string, number>()
  let order = 0
  for (const [key, entry] of offers.entries) {
    if (!isNotes(entry.value)) continue
    const subject = subjectOf(key)
    const group = groups.get(subject) ?? { shown: false }
    groups.set(subject, group)
    const costs = costsOf(room.measure, key, entry.value)
    const candidate: Candidate = {
      key,
      turn: entry.source_turn,
      newest: entry.source_turn === state.turn,
      costs,
      group,
      headNames: costs.headNames,
      shown: false,
      lines: [],
      names: [],
    }
    candidates.push(candidate)
    for (const piece of piecesOf(candidate, worth, offered))
      queue.push({ item: piece, order: order++, gain: gainOf(piece, worth) })
  }
  for (let next = queue.pop(); next && room.left >= TOKENS_MIN; next = queue.pop()) {
    const now = gainOf(next.item, worth)
    if (now <= 0) continue
    if (now < next.gain - 1e-12) queue.push({ ...next, gain: now })
    else take(next.item, room, worth)
  }
  return candidates.filter((candidate) => candidate.shown)
}

function* piecesOf(
  of: Candidate,
  worth: ReadonlyMap<string, number>,
  offered: Map<string, number>,
): Iterable<Piece> {
  const { costs } = of
  yield { of, at: -1, name: '', names: [], cost: 0 }
  for (const [at, names] of costs.named.lines.entries()) {
    if (names.some((name) => worth.has(name))) yield { of, at, name: '', names, cost: costs.lines[at] ?? 0 }
  }
  for (const [name, { names, text, cost }] of costs.names) {
    if (!worth.has(name)) continue
    const times = offered.get(name) ?? 0
    if (times >= NAME_OFFERS_MAX) continue
    offered.set(name, times + 1)
    yield { of, at: -1, name: text, names, cost }
  }
}

/** Worth per token, with the head where it is not shown yet. */
function gainOf(piece: Piece, worth: ReadonlyMap<string, number>): number {
  const { of } = piece
  let total = 0
  for (const name of piece.names) total += worth.get(name) ?? 0
  if (piece.at >= 0) total *= of.newest ? NEWEST_LINE_BONUS : LINE_BONUS
  if (of.shown) return total / piece.cost
  for (const name of of.headNames) total += worth.get(name) ?? 0
  return total / (piece.cost + headCost(of))
}

const headCost = ({ group, costs }: Candidate): number => (group.shown ? costs.underHead : costs.head)

function take(piece: Piece, room: Room, worth: Map<string, number>): void {
  const { of } = piece
  if (piece.cost === 0 && of.shown) return
  const namesRow = piece.name !== '' && of.names.length === 0 ? of.costs.namesRow : 0
  if (!room.spend(piece.cost + namesRow + (of.shown ? 0 : headCost(of)))) return
  if (!of.shown) for (const name of of.headNames) worth.delete(name)
  of.shown = true
  of.group.shown = true
  if (piece.at >= 0) of.lines.push(piece.at)
  if (piece.name !== '') of.names.push(piece.name)
  for (const name of piece.names) worth.delete(name)
}

function shorten({ costs: { notes }, lines, names }: Candidate): Json {
  const kept = lines.sort((a, b) => a - b).map((at) => notes.lines[at] ?? [0, ''])
  return {
    about: notes.about,
    lines: kept.map(([line, text]) => [line, text]),
    ...(names.length > 0 ? { names } : {}),
  }
}
