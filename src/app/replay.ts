import { assertTurn, History } from '../audit/history.ts'
import { diffPackets, type PacketChange } from '../audit/packet-diff.ts'
import { type OtherSettings, Refold } from '../audit/whatif/refold.ts'
import { type ShownBytes, shownBytes } from '../audit/why/shown.ts'
import { redactedIn } from '../core/event/redacted.ts'
import type { Packet } from '../core/packet/packet.ts'
import type { State } from '../core/packet/state.ts'
import type { Store } from '../core/store/store.ts'
import { promptOf } from '../core/view/prompt.ts'

/** A place in a log, and with what it is looked at: the end of a turn, or an event; the last event unless given. */
export interface ReplayPlace extends OtherSettings {
  readonly turn?: number
  readonly seq?: number
}

/** What a model was, or with another limit would have been, given at a place of a log. */
export interface Replayed {
  readonly agent_id: string
  readonly turn: number
  readonly seq: number
  readonly state: State
  readonly packet: Packet
  /** Instructions and packet as text; the tools are declared beside it. */
  readonly prompt: string
  /** Of prompt and tools together. */
  readonly tokens: number
  /** Events among those folded out of which texts were taken: the packet is not quite what a model saw. */
  readonly redacted: readonly number[]
}

/**
 * State, packet and prompt at a place of a log that was read: for who asks several questions of one.
 * @internal
 */
export async function replayIn(history: History, place: ReplayPlace = {}): Promise<Replayed> {
  const { agent_id, store, reader, events, lastTurn } = history
  const { turn = lastTurn, seq: asked, ...other } = place
  assertTurn(agent_id, turn, lastTurn)
  const seq = asked ?? history.endOfTurn(turn)
  let state = history.after(seq)
  if (other.limit !== undefined || other.view !== undefined) {
    const refold = new Refold(store, other, reader)
    for (const event of events.slice(0, seq)) await refold.event(event)
    state = refold.state ?? state
  }
  const { packet, text: prompt, tokens } = promptOf(state, reader)
  const redacted = redactedIn(events.slice(0, seq))
  return { agent_id, turn: state.turn, seq, state, packet, prompt, tokens, redacted }
}

/** What is said beside a packet of which not all is as a model saw it. */
export const redactedNote = (redacted: readonly number[]): string | undefined =>
  redacted.length > 0 ? `redacted: events ${redacted.join(', ')}` : undefined

/** The prompt after a turn, and the events before it out of which texts were taken. */
interface TurnView {
  readonly turn: number
  readonly view: string
  readonly redacted?: readonly number[]
}

/** The prompt after each turn. */
export async function* promptsOf(store: Store, agentId: string): AsyncGenerator<TurnView> {
  const history = await History.open(store, agentId)
  const all = redactedIn(history.events)
  for (const { event, state, endsTurn } of history.folded())
    if (endsTurn && event.turn > 0) {
      const redacted = all.filter((seq) => seq <= event.seq)
      const view = history.promptOf(state).text
      yield { turn: state.turn, view, ...(redacted.length > 0 ? { redacted } : {}) }
    }
}

/** Which bytes of raw output the packet after a turn showed, by event; of one event where it is given. */
export async function shownAfter(
  store: Store,
  agentId: string,
  turn: number,
  seq?: number,
): Promise<ShownBytes[]> {
  const history = await History.open(store, agentId)
  assertTurn(agentId, turn, history.lastTurn)
  return shownBytes(history, history.at(turn), seq)
}

/** What changed in the packet between the ends of two turns. */
export async function changedBetween(
  store: Store,
  agentId: string,
  from: number,
  to: number,
): Promise<PacketChange[]> {
  const history = await History.open(store, agentId)
  for (const turn of [from, to]) assertTurn(agentId, turn, history.lastTurn)
  return diffPackets(history.at(from).packet, history.at(to).packet)
}

/** The same for a log that has to be read first. */
export const replayAt = async (store: Store, agentId: string, place: ReplayPlace): Promise<Replayed> =>
  replayIn(await History.open(store, agentId), place)
