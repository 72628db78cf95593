import { History } from '../../audit/history.ts'
import type { Store } from '../../core/store/store.ts'
import { TwotrackError } from '../../errors.ts'
import { type ShownPacket, shownPacket } from './packet.ts'

/** Logs that are kept folded: a person looks at one or two at a time. */
const LOGS_MAX = 4
/** Packets of one log that are kept with the origins of their lines. */
const PACKETS_MAX = 1_000

/** One log, folded once, and what was made of it so far. It is read again when it has grown. */
export interface InspectedLog {
  readonly history: History
  /** What was asked for before; for a log that grows it begins anew. */
  readonly made: Map<string, Promise<unknown>>
  packet(turn: number): Promise<ShownPacket>
}

/** Opens logs and keeps the newest few, each as long as its head stays the same. */
export class InspectedLogs {
  readonly #store: Store
  readonly #kept = new Map<string, { readonly head: string; readonly log: Promise<InspectedLog> }>()

  constructor(store: Store) {
    this.#store = store
  }

  async open(agentId: string): Promise<InspectedLog> {
    const head = await this.#store.head(agentId)
    if (!head) throw new TwotrackError('missing', `There is no log of agent "${agentId}".`)
    const known = this.#kept.get(agentId)
    this.#kept.delete(agentId)
    const kept =
      known?.head === head.hash ? known : { head: head.hash, log: openInspected(this.#store, agentId) }
    this.#kept.set(agentId, kept)
    kept.log.catch(() => this.#kept.delete(agentId))
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > LOGS_MAX && oldest !== undefined) this.#kept.delete(oldest)
    return kept.log
  }
}

async function openInspected(store: Store, agentId: string): Promise<InspectedLog> {
  const history = await History.open(store, agentId)
  const packets = new Map<number, Promise<ShownPacket>>()
  return {
    history,
    made: new Map(),
    packet(turn) {
      const kept = packets.get(turn) ?? shownPacket(history, turn)
      packets.set(turn, kept)
      const [oldest] = packets.keys()
      if (packets.size > PACKETS_MAX && oldest !== undefined) packets.delete(oldest)
      return kept
    },
  }
}

/** What is asked of a log more than once is made once. */
export function onceOf<T>(log: InspectedLog, name: string, make: () => Promise<T>): Promise<T> {
  const made = log.made.get(name) ?? make()
  log.made.set(name, made)
  made.catch(() => log.made.delete(name))
  return made as Promise<T> // the name says what was made
}
