import { History, type TurnEnd } from '../../audit/history.ts'
import { defined } from '../../core/event/json.ts'
import type { Store } from '../../core/store/store.ts'
import { TwotrackError } from '../../errors.ts'
import { headHash } from './index-row.ts'
import { decisionOf, type ShownPacket, shownPacket } from './packet.ts'

/** Logs that are kept folded: a person looks at one or two at a time. */
const LOGS_MAX = 4
/** Turns of one log whose packets are kept. */
const TURNS_MAX = 1_000

/** One log, folded once, and what was made of it so far. It is read again when it has grown. */
export interface InspectedLog {
  readonly history: History
  /** What is wrong with it, from the end of what is shown on. */
  readonly damage?: string
  /** What was asked for before; for a log that grows it begins anew. */
  readonly made: Map<string, Promise<unknown>>
  /** What the calls of a turn were chosen with; what was known at its end where none were. */
  decision(turn: number): TurnEnd
  /** The same line by line, with the bytes behind each. */
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
    const head = await headHash(this.#store, agentId)
    if (head === undefined) throw new TwotrackError('missing', `There is no log of agent "${agentId}".`)
    const known = this.#kept.get(agentId)
    this.#kept.delete(agentId)
    const kept = known?.head === head ? known : { head, log: openInspected(this.#store, agentId) }
    this.#kept.set(agentId, kept)
    kept.log.catch(() => this.#kept.delete(agentId))
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > LOGS_MAX && oldest !== undefined) this.#kept.delete(oldest)
    return kept.log
  }
}

async function openInspected(store: Store, agentId: string): Promise<InspectedLog> {
  let damage: string | undefined
  const readable = untilDamage(store, (message) => {
    damage = message
  })
  const history = await History.open(readable, agentId)
  const decision = kept((turn) => decisionOf(history, turn))
  const packet = kept((turn) => shownPacket(history, decision(turn)))
  return { history, made: new Map(), decision, packet, ...defined({ damage }) }
}

/** Logs end where they are damaged: what comes before can still be looked at, and is told to be all that there is. */
const untilDamage = (store: Store, found: (message: string) => void): Store => ({
  ...store,
  async *read(agentId, range) {
    let isRead = false
    try {
      for await (const event of store.read(agentId, range)) {
        isRead = true
        yield event
      }
    } catch (thrown) {
      if (!isRead || !(thrown instanceof TwotrackError) || thrown.code !== 'damaged') throw thrown
      found(thrown.message)
    }
  },
})

/** What is made of a turn, once while it is among the newest so many. */
function kept<T>(make: (turn: number) => T): (turn: number) => T {
  const made = new Map<number, { readonly of: T }>()
  return (turn) => {
    const one = made.get(turn) ?? { of: make(turn) }
    made.set(turn, one)
    const [oldest] = made.keys()
    if (made.size > TURNS_MAX && oldest !== undefined) made.delete(oldest)
    return one.of
  }
}

/** What is asked of a log more than once is made once. */
export function onceOf<T>(log: InspectedLog, name: string, make: () => Promise<T>): Promise<T> {
  const made = log.made.get(name) ?? make()
  log.made.set(name, made)
  made.catch(() => log.made.delete(name))
  return made as Promise<T> // the name says what was made
}
