import type { Event } from '../../core/event/event.ts'
import { defined, type Json } from '../../core/event/json.ts'
import { cut } from '../../text/cut.ts'
import type { History, TurnEnd } from '../history.ts'
import type { Leaf } from './leaves.ts'
import { type Slot, slotOf } from './slot.ts'

/** Turns whose packets are made anew, before and after the one that was asked for. */
const TURNS_BEFORE_MAX = 200
const TURNS_AFTER_MAX = 200
const VALUE_CHARS_MAX = 2_000

/** Turns in which packets showed it, all in the same way. */
export interface ShownSpan {
  readonly from_turn: number
  readonly to_turn: number
  readonly section: string
  /** Whether all of it was shown, or what was left of it after a cut. */
  readonly whole: boolean
}

export interface LeftOut {
  readonly turn: number
  /**
   * `removed` and `replaced` by an event; `forgotten` by a cap of the state; `budget`: the state holds it, and the view
   * had no space for it.
   */
  readonly why: 'removed' | 'replaced' | 'forgotten' | 'budget'
  readonly seq?: number
  /** The caps of the state, or the tokens of the packet, that it did not fit into. */
  readonly limit?: string
}

export interface Life {
  /** The event since which the value stands; absent where no event has set it. */
  readonly since?: { readonly seq: number; readonly turn: number }
  /** What stood there before, and the event that had said it; for lines of a file, the event that replaced them. */
  readonly replaced?: { readonly seq: number; readonly value: Json }
  readonly shown: readonly ShownSpan[]
  readonly left_out?: LeftOut
}

/** One thing at the end of one turn. */
interface AtTurn {
  readonly turn: number
  readonly ref: number | undefined
  readonly section: string | undefined
  readonly whole: boolean
}

/** Since when a value stands, what it replaced, when and why it was left out. */
export function lifeOf(history: History, end: TurnEnd, leaf: Leaf): Life {
  const slot = slotOf(leaf, end)
  if (!slot) return { shown: [] }
  const now = slot.held(end.state)
  const { seen, changes } = watch(history, end, slot)
  const before = changes.findLast(({ seq, value }) => value !== undefined && seq < (now?.ref ?? 0))
  const since = now && history.event(now.ref)
  const leftOut = leftOutOf(end, slot, seen, changes)
  return {
    ...(since ? { since: { seq: since.seq, turn: since.turn } } : {}),
    ...(before?.value === undefined ? {} : { replaced: { seq: before.seq, value: short(before.value) } }),
    shown: spansOf(seen.filter(({ ref }) => ref !== undefined && ref === now?.ref)),
    ...(leftOut ? { left_out: leftOut } : {}),
  }
}

const short = (value: Json): Json => (typeof value === 'string' ? cut(value, VALUE_CHARS_MAX) : value)

/** What the state holds since the event `at`, and the event that had said it: 0 and no value for nothing. */
interface Change {
  readonly at: Event
  readonly seq: number
  readonly value: Json | undefined
}

/** Follows a slot through the log: what the state held after each change, what packets showed at the end of each turn. */
function watch(history: History, end: TurnEnd, slot: Slot): { seen: AtTurn[]; changes: Change[] } {
  const seen: AtTurn[] = []
  const changes: Change[] = []
  for (const { event, state, endsTurn } of history.folded()) {
    if (event.turn > end.turn + TURNS_AFTER_MAX) break
    const held = slot.held(state)
    const seq = held?.ref ?? 0
    if (seq !== (changes.at(-1)?.seq ?? 0)) changes.push({ at: event, seq, value: held?.value })
    if (!endsTurn || event.turn < end.turn - TURNS_BEFORE_MAX) continue
    const shown = held && slot.shown(history.packetOf(state))
    seen.push({
      turn: event.turn,
      ref: held?.ref,
      section: shown?.section,
      whole:
        shown !== undefined && (shown.text === held?.value || shown.text === JSON.stringify(held?.value)),
    })
  }
  return { seen, changes }
}

function spansOf(seen: readonly AtTurn[]): ShownSpan[] {
  const spans: ShownSpan[] = []
  for (const { turn, section, whole } of seen) {
    if (section === undefined) continue
    const last = spans.at(-1)
    if (last?.section === section && last.whole === whole && last.to_turn === turn - 1)
      spans[spans.length - 1] = { ...last, to_turn: turn }
    else spans.push({ from_turn: turn, to_turn: turn, section, whole })
  }
  return spans
}

/** The first turn from the one asked for on whose packet does not show what is held now. */
function leftOutOf(
  { turn: asked, state }: TurnEnd,
  slot: Slot,
  seen: readonly AtTurn[],
  changes: readonly Change[],
): LeftOut | undefined {
  const now = slot.held(state)?.ref
  const gone = seen.find(({ turn, section, ref }) => turn >= asked && (section === undefined || ref !== now))
  if (now === undefined || !gone) return undefined
  const { turn } = gone
  const { packet_size_limit, caps } = state.settings
  if (gone.ref === now) return { turn, why: 'budget', limit: `packet_size_limit ${packet_size_limit}` }
  const event = changes[changes.findIndex(({ seq }) => seq === now) + 1]?.at
  const by = defined({ seq: event?.seq })
  if (event?.delta && slot.removes(event.delta)) return { turn, why: 'removed', ...by }
  if (gone.ref !== undefined) return { turn, why: 'replaced', ...by }
  const limit = slot.caps.map((name) => `${name} ${caps[name] ?? 'none'}`).join(' or ')
  return { turn, why: 'forgotten', ...by, limit }
}
