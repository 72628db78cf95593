import type { Json } from '../event/json.ts'
import { isNotes, type Notes, subjectOf } from './notes.ts'
import type { Packet } from './packet.ts'
import { Queue } from './queue.ts'
import type { Room } from './room.ts'
import type { Entry, State } from './state.ts'
import { specificNames } from './terms.ts'
import { namedIn, worthOf } from './worth.ts'

const PLAIN_SHARE = 0.5
/** A whole line says more than its names do; it may cost this much more per name. */
const LINE_BONUS = 1.3

/**
 * Which knowledge to show when it does not all fit. Plain values come first, latest used first. Notes are
 * chosen piece by piece: a line or a name is worth what it adds to the packet (worth.ts), and the piece with
 * the most worth per token goes in next, until the room is used up.
 */
export function chooseKnowledge(state: State, room: Room, shown: readonly string[]): Packet['knowledge'] {
  const chosen = new Map<string, Packet['knowledge'][string]>()
  const byUse = Object.entries(state.knowledge).sort(
    ([a, x], [b, y]) => y.used - x.used || y.ref - x.ref || (a < b ? -1 : 1),
  )
  const share = room.share(PLAIN_SHARE)
  for (const [key, entry] of byUse) {
    if (isNotes(entry.value)) continue
    const { value, source_turn } = entry
    if (room.take({ in: 'knowledge', key, value, source_turn }, share))
      chosen.set(key, { value, source_turn })
  }
  for (const [key, value] of choosePieces(state, byUse, room, shown)) {
    chosen.set(key, { value, source_turn: state.knowledge[key]?.source_turn ?? 0 })
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

/** A part of an entry that can be shown: its head, a line (by index), or a bare name. */
type Piece =
  | {
      readonly kind: 'head' | 'line'
      readonly of: Candidate
      readonly at: number
      readonly names: readonly string[]
      readonly cost: number
    }
  | {
      readonly kind: 'name'
      readonly of: Candidate
      readonly at: number
      readonly name: string
      readonly names: readonly string[]
      readonly cost: number
    }

interface Candidate {
  readonly key: string
  readonly notes: Notes
  readonly headNames: readonly string[]
  readonly headCost: number
  shown: boolean
  readonly lines: number[]
  readonly names: string[]
}

function choosePieces(
  state: State,
  byUse: readonly (readonly [string, Entry])[],
  room: Room,
  shown: readonly string[],
): [string, Json][] {
  const worth = worthOf(state, byUse)
  for (const text of [state.goal.value, ...shown]) for (const name of specificNames(text)) worth.delete(name)
  const candidates: Candidate[] = []
  const queue = new Queue<Piece>()
  const gain = (piece: Piece): number => {
    let total = 0
    for (const name of piece.names) total += worth.get(name) ?? 0
    const bonus = piece.kind === 'name' ? 1 : LINE_BONUS
    if (piece.kind === 'head' || piece.of.shown) return (total * bonus) / piece.cost
    for (const name of piece.of.headNames) total += worth.get(name) ?? 0
    return (total * bonus) / (piece.cost + piece.of.headCost)
  }
  let order = 0
  for (const [key, entry] of byUse) {
    if (!isNotes(entry.value)) continue
    const candidate = candidateOf(key, entry.value, room)
    candidates.push(candidate)
    for (const piece of piecesOf(candidate, room, worth))
      queue.push({ item: piece, order: order++, gain: gain(piece) })
  }
  for (let next = queue.pop(); next; next = queue.pop()) {
    const now = gain(next.item)
    if (now <= 0) continue
    if (now < next.gain - 1e-12) queue.push({ ...next, gain: now })
    else take(next.item, room, worth)
  }
  return candidates
    .filter((candidate) => candidate.shown)
    .map((candidate) => [candidate.key, shorten(candidate)])
}

function take(piece: Piece, room: Room, worth: Map<string, number>): void {
  const { of: entry } = piece
  if (piece.kind === 'head' && entry.shown) return
  const cost = piece.cost + (piece.kind === 'head' || entry.shown ? 0 : entry.headCost)
  if (!room.spend(cost)) return
  if (!entry.shown) for (const name of entry.headNames) worth.delete(name)
  entry.shown = true
  if (piece.kind === 'line') entry.lines.push(piece.at)
  if (piece.kind === 'name') entry.names.push(piece.name)
  for (const name of piece.names) worth.delete(name)
}

function shorten({ notes, lines, names }: Candidate): Json {
  const kept = lines.sort((a, b) => a - b).map((at) => notes.lines[at] ?? [0, ''])
  return {
    about: notes.about,
    lines: kept.map(([line, text]) => [line, text]),
    ...(names.length > 0 ? { names } : {}),
  }
}

function candidateOf(key: string, notes: Notes, room: Room): Candidate {
  return {
    key,
    notes,
    headNames: [...specificNames(key), ...namedIn(notes).about],
    headCost: room.cost({ in: 'knowledge', key, value: { about: notes.about, lines: [] }, source_turn: 0 }),
    shown: false,
    lines: [],
    names: [],
  }
}

function* piecesOf(entry: Candidate, room: Room, worth: ReadonlyMap<string, number>): Iterable<Piece> {
  const named = namedIn(entry.notes)
  yield { kind: 'head', of: entry, at: -1, names: entry.headNames, cost: entry.headCost }
  for (const [at, [line, text]] of entry.notes.lines.entries()) {
    const names = named.lines[at] ?? []
    if (!names.some((name) => worth.has(name))) continue
    yield { kind: 'line', of: entry, at, names, cost: room.cost({ in: 'line', line, text }) }
  }
  for (const name of [...(entry.notes.names ?? []), ...named.written.values()]) {
    const names = specificNames(name)
    if (names.some((one) => worth.has(one) && !isNumber(one))) {
      yield { kind: 'name', of: entry, at: -1, name, names, cost: room.cost({ in: 'name', name }) }
    }
  }
}

const isNumber = (name: string): boolean => /^\d+$/.test(name)
