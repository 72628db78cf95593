import type { Json } from '../event/json.ts'
import { cut } from './cut.ts'
import { firstOfSame, folderOf, isNamedIn, isNotes, subjectOf } from './notes.ts'
import type { Packet } from './packet.ts'
import { type Costs, costsOf } from './piece-costs.ts'
import { Queue } from './queue.ts'
import type { Room } from './room.ts'
import type { Entry, State } from './state.ts'
import { forgetShown, worthOf } from './worth.ts'

const PLAIN_SHARE = 0.15
/** Of plain texts the latest used stand whole; older ones shrink to a short line. */
const WHOLE_VALUES_MAX = 2
const OLDER_VALUE_CHARS_MAX = 64
/** A whole line says more than its names do: it may cost this much more for each of them. */
const LINE_BONUS = 0.85
/** What the newest call brought is read as lines rather than as names. */
const NEWEST_LINE_BONUS = 1.6
/** The same name is offered from this many notes, latest used first. */
const NAME_OFFERS_MAX = 8
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
  actions: readonly string[],
  shown: readonly string[],
): Packet['knowledge'] {
  const chosen = new Map<string, Packet['knowledge'][string]>()
  const share = room.share(PLAIN_SHARE)
  for (const [key, { value: whole, source_turn }] of offers.entries) {
    if (isNotes(whole)) continue
    const old = chosen.size >= WHOLE_VALUES_MAX && typeof whole === 'string'
    const value = old ? cut(whole, OLDER_VALUE_CHARS_MAX) : whole
    if (room.take({ in: 'knowledge', key, value, source_turn }, share)) chosen.set(key, { value, source_turn })
  }
  const worth = new Map(offers.worth)
  forgetShown(worth, [state.goal.value, ...actions, ...shown])
  for (const candidate of choosePieces(state, offers, worth, room, actions)) {
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

/** The notes on one subject: its name is paid for once, and its folder once for all that may be shortened. */
interface Group {
  shown: boolean
  /** Whether a shown action names it: then it stands with its whole path. */
  readonly whole: boolean
  readonly folder: { shown: boolean }
}

interface Candidate {
  readonly key: string
  readonly turn: number
  readonly newest: boolean
  readonly costs: Costs
  readonly group: Group
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
  /** Lines, by number, that the bare name stands in: one of them may be shown with it. */
  readonly on: readonly number[]
}

function choosePieces(
  state: State,
  offers: Offers,
  worth: Map<string, number>,
  room: Room,
  actions: readonly string[],
): Candidate[] {
  const groups = new Map<string, Group>()
  const queue = new Queue<Piece>()
  const candidates: Candidate[] = []
  const offered = new Map<string, number>()
  const folders = new Map<string, { shown: boolean }>()
  const folderAt = (subject: string): { shown: boolean } => {
    const path = folderOf(subject)
    const folder = (path === '' ? undefined : folders.get(path)) ?? { shown: false }
    folders.set(path, folder)
    return folder
  }
  let order = 0
  for (const [key, entry] of offers.entries) {
    if (!isNotes(entry.value)) continue
    const subject = offers.same.get(subjectOf(key)) ?? key
    const group = groups.get(subject) ?? {
      shown: false,
      whole: isNamedIn(subject, actions),
      folder: folderAt(subject),
    }
    groups.set(subject, group)
    const costs = costsOf(room.measure, key, entry.value)
    const candidate: Candidate = {
      key,
      turn: entry.source_turn,
      newest: entry.source_turn === state.turn,
      costs,
      group,
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
  yield { of, at: -1, name: '', names: [], cost: 0, on: [] }
  for (const [at, names] of costs.named.lines.entries()) {
    if (names.some((name) => worth.has(name)))
      yield { of, at, name: '', names, cost: costs.lines[at] ?? 0, on: [] }
  }
  for (const [name, { names, text, cost, on }] of costs.names) {
    if (!worth.has(name) || costs.headNames.includes(name)) continue
    const times = offered.get(name) ?? 0
    if (times >= NAME_OFFERS_MAX) continue
    offered.set(name, times + 1)
    yield { of, at: -1, name: text, names, cost, on }
  }
}

/** Worth per token, with the head where it is not shown yet. */
function gainOf(piece: Piece, worth: ReadonlyMap<string, number>): number {
  const { of } = piece
  let total = 0
  let { cost } = piece
  for (const name of piece.names) total += worth.get(name) ?? 0
  if (piece.at >= 0) total *= of.newest ? NEWEST_LINE_BONUS : LINE_BONUS
  else {
    const line = lineWorth(piece, worth)
    total += line.worth
    cost += line.cost
  }
  if (of.shown) return total / cost
  const head = headOf(of)
  for (const name of head.names) total += worth.get(name) ?? 0
  return total / (cost + head.cost)
}

const NO_HEAD = { cost: 0, names: [] }
const NO_LINE = { text: '', worth: 0, cost: 0 }

/** The line number to show with a bare name: the one that adds more than it costs, or none. */
function lineWorth(
  { on, names, cost }: Piece,
  worth: ReadonlyMap<string, number>,
): { text: string; worth: number; cost: number } {
  let best = NO_LINE
  if (on.length === 0) return best
  let own = 0
  for (const name of names) own += worth.get(name) ?? 0
  for (const line of on) {
    const text = String(line)
    const value = worth.get(text) ?? 0
    if (value > best.worth && value / (text.length + 1) > own / cost)
      best = { text, worth: value, cost: text.length + 1 }
  }
  return best
}

function headOf({ group, costs }: Candidate): { cost: number; names: readonly string[] } {
  if (group.shown) return { cost: costs.underHead, names: [] }
  return group.folder.shown && !group.whole
    ? { cost: costs.besideHead, names: costs.besideNames }
    : { cost: costs.head, names: costs.headNames }
}

function take(piece: Piece, room: Room, worth: Map<string, number>): void {
  const { of } = piece
  if (piece.cost === 0 && of.shown) return
  const line = lineWorth(piece, worth)
  const namesRow = piece.name !== '' && of.names.length === 0 ? of.costs.namesRow : 0
  const head = of.shown ? NO_HEAD : headOf(of)
  if (!room.spend(piece.cost + line.cost + namesRow + head.cost)) return
  for (const name of head.names) worth.delete(name)
  of.shown = true
  of.group.shown = true
  of.group.folder.shown = true
  if (piece.at >= 0) of.lines.push(piece.at)
  if (piece.name !== '') of.names.push(line.text === '' ? piece.name : `${line.text} ${piece.name}`)
  for (const name of piece.names) worth.delete(name)
  worth.delete(line.text)
}

function shorten({ costs: { notes }, lines, names }: Candidate): Json {
  const kept = lines.sort((a, b) => a - b).map((at) => notes.lines[at] ?? [0, ''])
  return {
    about: notes.about,
    lines: kept.map(([line, text]) => [line, text]),
    ...(names.length > 0 ? { names } : {}),
  }
}
