import { cut } from '../text/cut.ts'
import { firstOfSame, folderOf, isNotes, subjectOf } from './notes.ts'
import type { Packet } from './packet.ts'
import { costsOf } from './piece-costs.ts'
import { type Candidate, fillUp, type Group, gainOf, type Piece, piecesOf, shorten, take } from './pieces.ts'
import { Queue } from './queue.ts'
import type { Room } from './room.ts'
import type { Entry, State } from './state.ts'
import { forgetShown, worthOf } from './worth.ts'

const PLAIN_SHARE = 0.15
/** Of plain texts the latest used stand whole; older ones shrink to a short line. */
const WHOLE_VALUES_MAX = 2
const OLDER_VALUE_CHARS_MAX = 64
const TOKENS_MIN = 3

/** Knowledge in the order in which it is offered, and what each name in it is worth; made once for a state. */
export interface Offers {
  readonly entries: readonly (readonly [string, Entry])[]
  readonly worth: ReadonlyMap<string, number>
  /** Which subjects are one file under several names. */
  readonly same: ReadonlyMap<string, string>
}

export function offersOf(state: State): Offers {
  const entries = Object.entries(state.knowledge).sort(
    ([a, x], [b, y]) => y.used - x.used || y.ref - x.ref || (a < b ? -1 : 1),
  )
  const same = firstOfSame(entries.map(([key]) => subjectOf(key)))
  return { entries, worth: worthOf(state, entries), same }
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
  for (const [key, { value: whole, source_turn }] of offers.entries) {
    if (isNotes(whole)) continue
    const old = chosen.size >= WHOLE_VALUES_MAX && typeof whole === 'string'
    const value = old ? cut(whole, OLDER_VALUE_CHARS_MAX) : whole
    if (room.take({ in: 'knowledge', key, value, source_turn }, share))
      chosen.set(key, { value, source_turn })
  }
  const worth = new Map(offers.worth)
  forgetShown(worth, [state.goal.value, ...shown])
  for (const candidate of choosePieces(state, offers, worth, room)) {
    chosen.set(candidate.key, { value: shorten(candidate), source_turn: candidate.turn })
  }
  return inOrder(state, offers, chosen)
}

/** What was learned last stands last, near the actions; notes on one subject, and in one folder, stand together. */
function inOrder(
  state: State,
  { same }: Offers,
  chosen: ReadonlyMap<string, Packet['knowledge'][string]>,
): Packet['knowledge'] {
  const folders = new Map<string, Map<string, string[]>>()
  for (const key of Object.keys(state.knowledge)) {
    if (!chosen.has(key)) continue
    const subject = same.get(subjectOf(key)) ?? key
    const path = folderOf(subject) || subject
    const folder = folders.get(path) ?? new Map<string, string[]>()
    const group = folder.get(subject) ?? []
    folder.delete(subject)
    folder.set(subject, [...group, key])
    folders.delete(path)
    folders.set(path, folder)
  }
  const keys = [...folders.values()].flatMap((folder) => [...folder.values()].flat())
  return Object.fromEntries(keys.map((key) => [key, chosen.get(key) ?? { value: null, source_turn: 0 }]))
}

function choosePieces(state: State, offers: Offers, worth: Map<string, number>, room: Room): Candidate[] {
  const groups = new Map<string, Group>()
  const queue = new Queue<Piece>()
  const candidates: Candidate[] = []
  const offered = new Map<string, number>()
  let order = 0
  const offer = (piece: Piece): void =>
    queue.push({ item: piece, order: order++, gain: gainOf(piece, worth) })
  for (const [key, entry] of offers.entries) {
    if (!isNotes(entry.value)) continue
    const subject = offers.same.get(subjectOf(key)) ?? key
    const group = groups.get(subject) ?? { shown: false, lines: new Set() }
    groups.set(subject, group)
    const costs = costsOf(room.measure, key, entry.value)
    const candidate: Candidate = {
      key,
      turn: entry.source_turn,
      newest: entry.source_turn === state.turn,
      costs,
      group,
      pieces: [],
      shown: false,
      lines: [],
      names: [],
    }
    candidates.push(candidate)
    candidate.pieces.push(...piecesOf(candidate, worth, offered))
    for (const piece of candidate.pieces) offer(piece)
  }
  for (let next = queue.pop(); next && room.left >= TOKENS_MIN; next = queue.pop()) {
    const now = gainOf(next.item, worth)
    if (now <= 0) continue
    if (now < next.gain - 1e-12) queue.push({ ...next, gain: now })
    else for (const piece of take(next.item, room, worth)) offer(piece)
  }
  for (const candidate of candidates) if (room.left >= TOKENS_MIN) fillUp(candidate, room)
  return candidates.filter((candidate) => candidate.shown)
}
