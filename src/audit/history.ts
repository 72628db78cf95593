import { TwotrackError } from '../errors.ts'
import type { Event, EventFor } from '../event/event.ts'
import { fold } from '../packet/fold.ts'
import type { Packet } from '../packet/packet.ts'
import type { State } from '../packet/state.ts'
import { type Prompt, packetOf, promptOf } from '../prompt/prompt.ts'
import type { Store } from '../store/store.ts'
import type { Count } from '../view/view.ts'
import { counterFor, readEvent, textIfThere } from './read.ts'

/** Raw fields that are kept in memory at the same time, in characters. */
const RAW_CHARS_MAX = 32 * 1024 * 1024

/** The state after the last event of a turn, and the packet of it. */
export interface TurnEnd {
  readonly turn: number
  readonly seq: number
  readonly state: State
  readonly packet: Packet
}

/** One log in memory without its raw parts, which are read when they are asked for. */
export class History {
  readonly agent_id: string
  readonly events: readonly Event[]
  readonly #store: Store
  readonly #count: Count
  readonly #calls = new Map<string, EventFor<'tool_call'>>()
  readonly #raw = new Map<string, string | undefined>()
  #rawChars = 0

  private constructor(store: Store, agentId: string, events: readonly Event[], count: Count) {
    this.#store = store
    this.agent_id = agentId
    this.events = events
    this.#count = count
    for (const event of events) if (event.type === 'tool_call') this.#calls.set(event.data.call_id, event)
  }

  static async open(store: Store, agentId: string): Promise<History> {
    const events: Event[] = []
    // Whether it was pruned stays known.
    for await (const { raw, ...event } of store.read(agentId))
      events.push({ ...event, ...(raw === null ? { raw } : {}) } as Event)
    return new History(store, agentId, events, await counterFor(agentId, events[0]))
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
    let state: State | undefined
    for (const [at, event] of this.events.entries()) {
      state = fold(state, event)
      yield { event, state, endsTurn: this.events[at + 1]?.turn !== event.turn }
    }
  }

  /** The state at the end of a turn. */
  at(turn: number): TurnEnd {
    let end: { event: Event; state: State } | undefined
    for (const one of this.folded()) {
      if (one.event.turn > turn) break
      end = one
    }
    if (!end) throw new TwotrackError('missing', `Agent "${this.agent_id}" has no turn ${turn}.`)
    return this.endOf(end.event, end.state)
  }

  endOf({ seq }: Event, state: State): TurnEnd {
    return { turn: state.turn, seq, state, packet: this.packetOf(state) }
  }

  packetOf(state: State): Packet {
    return packetOf(state, this.#count)
  }

  promptOf(state: State): Prompt {
    return promptOf(state, this.#count)
  }

  /** A raw field as text, and a field of the data where the event has no such raw field; undefined once pruned. */
  async raw(seq: number, field: string): Promise<string | undefined> {
    const key = `${seq} ${field}`
    if (this.#raw.has(key)) return this.#raw.get(key)
    const event = await readEvent(this.#store, this.agent_id, seq)
    const text = event && (await textIfThere(this.#store, event, field))
    this.#rawChars += text?.length ?? 0
    if (this.#rawChars > RAW_CHARS_MAX) {
      this.#raw.clear()
      this.#rawChars = text?.length ?? 0
    }
    this.#raw.set(key, text)
    return text
  }
}
