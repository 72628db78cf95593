import type { Json } from '../event/json.ts'
import type { Costs } from './piece-costs.ts'
import type { Room } from './room.ts'

/** A whole line says more than its names do: it may cost this much more for each of them. */
const LINE_BONUS = 1.1
/** What the newest call brought is read as lines rather than as names. */
const NEWEST_LINE_BONUS = 2.2
/** The same name is offered from this many notes, latest used first: so it can join notes that are shown anyway. */
const NAME_OFFERS_MAX = 8

/** What each name is still worth; one that is shown is worth nothing more. */
export type Worth = Map<string, number>

/** The notes on one subject: its name is paid for once, and a line of it is shown once. */
export interface Group {
  shown: boolean
  readonly lines: Set<string>
}

/** Notes that may be shown, and what of them is. */
export interface Candidate {
  readonly key: string
  readonly turn: number
  readonly newest: boolean
  readonly costs: Costs
  readonly group: Group
  /** What could be shown of it when nothing was. */
  readonly pieces: Piece[]
  shown: boolean
  readonly lines: number[]
  readonly names: ShownName[]
}

/** A bare name and the lines, by number, that are shown with it. */
interface ShownName {
  readonly text: string
  readonly lines: number[]
}

/** A part of notes that can be shown. */
export type Piece =
  | { readonly kind: 'head'; readonly of: Candidate }
  | {
      readonly kind: 'line'
      readonly of: Candidate
      readonly at: number
      readonly names: readonly string[]
      readonly cost: number
    }
  | {
      readonly kind: 'name'
      readonly of: Candidate
      readonly text: string
      readonly names: readonly string[]
      readonly cost: number
      readonly on: readonly number[]
    }
  /** One more line that a shown name stands in. */
  | { readonly kind: 'number'; readonly of: Candidate; readonly beside: ShownName; readonly line: number }

/** The pieces that can be shown at first; `offered` counts how often a name was, over all notes. */
export function* piecesOf(of: Candidate, worth: Worth, offered: Map<string, number>): Iterable<Piece> {
  const { costs } = of
  yield { kind: 'head', of }
  for (const [at, names] of costs.named.lines.entries()) {
    if (names.some((name) => worth.has(name)))
      yield { kind: 'line', of, at, names, cost: costs.lines[at] ?? 0 }
  }
  for (const [name, { names, text, cost, on }] of costs.names) {
    if (!worth.has(name) || costs.headNames.includes(name)) continue
    const times = offered.get(name) ?? 0
    if (times >= NAME_OFFERS_MAX) continue
    offered.set(name, times + 1)
    yield { kind: 'name', of, text, names, cost, on }
  }
}

/** Worth per token, with the head where it is not shown yet. */
export function gainOf(piece: Piece, worth: Worth): number {
  const { of } = piece
  if (piece.kind === 'number') return (worth.get(String(piece.line)) ?? 0) / costOf(piece)
  let total = piece.kind === 'head' ? 0 : sum(piece.names, worth)
  if (piece.kind === 'line') total *= of.newest ? NEWEST_LINE_BONUS : LINE_BONUS
  let cost = costOf(piece)
  if (piece.kind === 'name') {
    const line = bestLine(piece, worth)
    total += line.worth
    cost += line.cost
  }
  if (of.shown) return piece.kind === 'head' ? 0 : total / cost
  const head = headOf(of)
  return (total + sum(head.names, worth)) / (cost + head.cost)
}

const NO_LINE = { line: 0, worth: 0, cost: 0 }

/** The line to show with a bare name at once: the one that adds more than it costs, or none. */
function bestLine(
  { on, names, cost }: Extract<Piece, { kind: 'name' }>,
  worth: Worth,
): { line: number; worth: number; cost: number } {
  let best = NO_LINE
  if (on.length === 0) return best
  const own = sum(names, worth) / cost
  for (const line of on) {
    const value = worth.get(String(line)) ?? 0
    const tokens = numberTokens(line)
    if (value > best.worth && value / tokens > own) best = { line, worth: value, cost: tokens }
  }
  return best
}

/** Shows a piece if there is room, and gives what can be shown only now. */
export function take(piece: Piece, room: Room, worth: Worth): readonly Piece[] {
  const { of } = piece
  const head = of.shown ? NO_HEAD : headOf(of)
  const namesRow = piece.kind === 'name' && of.names.length === 0 ? of.costs.namesRow : 0
  const line = piece.kind === 'name' ? bestLine(piece, worth) : NO_LINE
  if (!room.spend(costOf(piece) + line.cost + namesRow + head.cost)) return []
  for (const name of head.names) worth.delete(name)
  // Its head is paid for now, so whatever else there is costs less than when it was first offered.
  const cheaper = of.shown ? [] : of.pieces
  of.shown = true
  of.group.shown = true
  return [...add(piece, line.line, worth), ...cheaper]
}

function add(piece: Piece, line: number, worth: Worth): readonly Piece[] {
  const { of } = piece
  switch (piece.kind) {
    case 'head':
      return []
    case 'line':
      showLine(of, piece.at)
      for (const name of piece.names) worth.delete(name)
      return []
    case 'name': {
      const beside: ShownName = { text: piece.text, lines: line > 0 ? [line] : [] }
      worth.delete(String(line))
      of.names.push(beside)
      for (const name of piece.names) worth.delete(name)
      return piece.on.map((other) => ({ kind: 'number', of, beside, line: other }))
    }
    case 'number':
      piece.beside.lines.push(piece.line)
      worth.delete(String(piece.line))
      return []
  }
}

const sum = (names: readonly string[], worth: Worth): number => {
  let total = 0
  for (const name of names) total += worth.get(name) ?? 0
  return total
}

/** Digits, and what stands between. */
const numberTokens = (line: number): number => String(line).length + 1

const costOf = (piece: Piece): number => {
  if (piece.kind === 'number') return numberTokens(piece.line)
  return piece.kind === 'head' ? 0 : piece.cost
}

const NO_HEAD = { cost: 0, names: [] }

const headOf = ({ group, costs }: Candidate): { cost: number; names: readonly string[] } =>
  group.shown ? { cost: costs.underHead, names: [] } : { cost: costs.head, names: costs.headNames }

/** Shows what is left of the notes line by line: where there is room, a line need not bring a new name. */
export function fillUp(of: Candidate, room: Room): void {
  for (const at of of.costs.named.lines.keys()) {
    if (of.group.lines.has(lineAt(of, at))) continue
    if (!room.spend((of.costs.lines[at] ?? 0) + (of.shown ? 0 : headOf(of).cost))) continue
    showLine(of, at)
    of.shown = true
    of.group.shown = true
  }
}

const lineAt = ({ costs: { notes } }: Candidate, at: number): string => notes.lines[at]?.join(' ') ?? ''

function showLine(of: Candidate, at: number): void {
  of.lines.push(at)
  of.group.lines.add(lineAt(of, at))
}

/** The notes with what was chosen of them; a bare name that a chosen line holds is not said again. */
export function shorten({ costs: { notes, named }, lines, names: chosen }: Candidate): Json {
  const inLines = new Set(lines.flatMap((at) => named.lines[at] ?? []))
  const names = chosen.filter(({ text, lines: on }) => on.length > 0 || !inLines.has(text.toLowerCase()))
  const kept = lines.sort((a, b) => a - b).map((at) => notes.lines[at] ?? [0, ''])
  return {
    about: notes.about,
    lines: kept.map(([line, text]) => [line, text]),
    ...(names.length > 0
      ? { names: names.map(({ text, lines: on }) => (on.length === 0 ? text : `${on.join(',')} ${text}`)) }
      : {}),
  }
}
