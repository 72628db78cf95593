import { atOnce } from '../at-once.ts'
import type { Event, EventFor } from '../core/event/event.ts'
import { canonical, type Json } from '../core/event/json.ts'
import { fieldOf } from '../core/memory/blobs.ts'
import { sharedReader } from '../core/memory/tokenizer.ts'
import { fold } from '../core/packet/fold.ts'
import type { Packet } from '../core/packet/packet.ts'
import type { State } from '../core/packet/state.ts'
import type { Store } from '../core/store/store.ts'
import { type Prompt, promptOf, viewOf } from '../core/view/prompt.ts'
import type { Reader } from '../core/view/reader.ts'
import type { View } from '../core/view/view.ts'
import { TwotrackError, undefinedIf } from '../errors.ts'

/** A raw field, or one of the data where the event has no such raw field; undefined when there is none, or once pruned. */
export const fieldIfThere = (
  store: Store,
  event: Event,
  field: string,
): Promise<Json | Uint8Array | undefined> => undefinedIf(fieldOf(store, event, field), 'missing')

/** The same as text. */
async function textIfThere(store: Store, event: Event, field: string): Promise<string | undefined> {
  const value = await fieldIfThere(store, event, field)
  if (value === undefined || typeof value === 'string') return value
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : canonical(value)
}

export async function readEvent(store: Store, agentId: string, seq: number): Promise<Event | undefined> {
  for await (const event of store.read(agentId, { from: seq, to: seq })) return event
  return undefined
}

/** Counts tokens as the run of a log did. Throws `bad_event` for a log that has no beginning. */
export async function readerFor(agentId: string, first: Event | undefined): Promise<Reader> {
  if (first?.type !== 'run_start')
    throw new TwotrackError('bad_event', `The log of agent "${agentId}" does not begin with run_start.`)
  return await sharedReader(first.data.settings.tokenizer)
}

/** Throws `missing` for a turn that a log has not come to. */
export function assertTurn(agentId: string, turn: number | undefined, last: number): void {
  if (turn !== undefined && turn > last)
    throw new TwotrackError('missing', `Agent "${agentId}" has turns 0 to ${last}; there is no turn ${turn}.`)
}

/** Where events and their raw fields are looked up again. */
export interface LogSource {
  event(seq: number): Promise<Event | undefined>
  /** As text; undefined when there is none, or once it was pruned. */
  raw(event: Event, field: string): Promise<string | undefined>
}

export const logSourceOf = (store: Store, agentId: string): LogSource => ({
  event: (seq) => readEvent(store, agentId, seq),
  raw: (event, field) => textIfThere(store, event, field),
})

/** While one log waits for the disk another has the processor, and what they write is made durable together. */
const LOGS_AT_ONCE = 16

/** Does the same with many logs, some of them at once, and tells how far it is. */
export async function eachLog<T, R>(
  logs: readonly T[],
  work: (log: T) => Promise<R>,
  onLog?: (done: number, all: number) => void,
): Promise<R[]> {
  let done = 0
  return atOnce(logs, LOGS_AT_ONCE, async (log) => {
    const result = await work(log)
    onLog?.(++done, logs.length)
    return result
  })
}

/** From here on a turn's calls are chosen. */
export const isDecision = ({ type }: Event): boolean =>
  type === 'model_request' || type === 'model_response' || type === 'tool_call'

/** Raw fields that are kept in memory at the same time, in characters. */
const RAW_CHARS_MAX = 32 * 1024 * 1024

/** The state after the last event of a turn, and the view of it. */
export interface TurnEnd extends View {
  readonly turn: number
  readonly seq: number
  readonly state: State
}

/** One log in memory without its raw parts, which are read when they are asked for. */
export class History {
  readonly agent_id: string
  readonly events: readonly Event[]
  readonly store: Store
  readonly reader: Reader
  readonly #calls = new Map<string, EventFor<'tool_call'>>()
  readonly #raw = new Map<string, string | undefined>()
  #rawChars = 0
  /** The state after each event, as far as it was asked for: they share what did not change, so keeping them costs little. */
  readonly #states: State[] = []

  private constructor(store: Store, agentId: string, events: readonly Event[], reader: Reader) {
    this.store = store
    this.agent_id = agentId
    this.events = events
    this.reader = reader
    for (const event of events) if (event.type === 'tool_call') this.#calls.set(event.data.call_id, event)
  }

  static async open(store: Store, agentId: string): Promise<History> {
    const events: Event[] = []
    for await (const event of store.read(agentId, { raw: false })) events.push(event)
    return new History(store, agentId, events, await readerFor(agentId, events[0]))
  }

  get lastTurn(): number {
    return this.events.at(-1)?.turn ?? 0
  }

  event(seq: number): Event | undefined {
    return this.events[seq - 1]
  }

  /** The call that a result answers. */
  callOf(event: Event): EventFor<'tool_call'> | undefined {
    return event.type === 'tool_result' ? this.#calls.get(event.data.call_id) : undefined
  }

  /** Each event with the state after it, and whether its turn ends with it. */
  *folded(): Generator<{ readonly event: Event; readonly state: State; readonly endsTurn: boolean }> {
    for (const [at, event] of this.events.entries())
      yield { event, state: this.after(event.seq), endsTurn: this.events[at + 1]?.turn !== event.turn }
  }

  /** The state at the end of a turn. */
  at(turn: number): TurnEnd {
    const seq = this.endOfTurn(turn)
    const state = this.after(seq)
    return { turn: state.turn, seq, state, ...viewOf(state, this.reader) }
  }

  /** The last event of a turn. */
  endOfTurn(turn: number): number {
    const end = this.events.findLast((event) => event.turn <= turn)
    if (end) return end.seq
    throw new TwotrackError('missing', `Agent "${this.agent_id}" has no turn ${turn}.`)
  }

  /** The last event before the calls of a turn were chosen: what the packet for them was made of. */
  beforeCallsOf(turn: number): Event | undefined {
    const first = this.events.findIndex((event) => event.turn === turn && isDecision(event))
    return first < 0 ? undefined : this.events[first - 1]
  }

  /** The state after an event. Throws `missing`. */
  after(seq: number): State {
    for (const event of this.events.slice(this.#states.length, seq))
      this.#states.push(fold(this.#states.at(-1), event))
    const state = this.#states[seq - 1]
    if (state) return state
    throw new TwotrackError(
      'missing',
      `Agent "${this.agent_id}" has events 1 to ${this.events.length}; there is no event ${seq}.`,
    )
  }

  packetOf(state: State): Packet {
    return viewOf(state, this.reader).packet
  }

  promptOf(state: State): Prompt {
    return promptOf(state, this.reader)
  }

  /** A raw field as text, and a field of the data where the event has no such raw field; undefined once pruned. */
  async raw(seq: number, field: string): Promise<string | undefined> {
    const key = `${seq} ${field}`
    if (this.#raw.has(key)) return this.#raw.get(key)
    const event = await readEvent(this.store, this.agent_id, seq)
    const text = event && (await textIfThere(this.store, event, field))
    this.#rawChars += text?.length ?? 0
    if (this.#rawChars > RAW_CHARS_MAX) {
      this.#raw.clear()
      this.#rawChars = text?.length ?? 0
    }
    this.#raw.set(key, text)
    return text
  }
}
