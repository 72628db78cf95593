import { type ByType, byType } from '../core/event/by-type.ts'
import type { Event } from '../core/event/event.ts'
import { defined } from '../core/event/json.ts'
import type { Store } from '../core/store/store.ts'
import { isTimeless } from '../run/agent-summary.ts'

/** A call of a turn and what came of it; without an outcome while it has no result. */
interface TurnCall {
  readonly seq: number
  readonly tool: string
  readonly summary: string
  readonly outcome?: 'success' | 'error' | 'partial'
  readonly duration_ms?: number
}

/** One turn of an agent. */
export interface Turn {
  readonly turn: number
  /** Its first and last event. */
  readonly from: number
  readonly to: number
  readonly began: string
  /** From its first event to its last, or to the run's end; 0 in a recording without times. */
  readonly wall_ms: number
  /** Of its prompts together. */
  readonly prompt_tokens: number
  readonly completion_tokens: number
  /** The model's words. */
  readonly text: string
  readonly calls: readonly TurnCall[]
  /** Of what its calls gave. */
  readonly raw_bytes: number
  /** Of the model, the rules and whatever else the agent asked. */
  readonly faults: number
  /** Whether a person spoke or decided in it. */
  readonly person: boolean
}

type Made = { -readonly [K in keyof Turn]: Turn[K] } & { calls: TurnCall[] }

const spoke = (_: unknown, turn: Made): void => {
  turn.person = true
}

/** What an event adds to its turn, by its type. */
const told: ByType<[Made], void> = {
  model_request: ({ data }, turn) => {
    turn.prompt_tokens += data.prompt_tokens
  },
  model_response: ({ data }, turn) => {
    turn.completion_tokens += data.usage?.completion_tokens ?? 0
    turn.text = [turn.text, data.text].filter((text) => text !== '').join('\n')
  },
  tool_call: ({ seq, data: { tool } }, { calls }) => {
    calls.push({ seq, tool, summary: '' })
  },
  tool_result: ({ data: { tool, outcome, duration_ms, output_bytes }, delta }, turn) => {
    turn.raw_bytes += output_bytes
    const at = turn.calls.findIndex((call) => call.tool === tool && call.outcome === undefined)
    const summary = delta?.add_action?.[0]?.summary ?? ''
    const call = turn.calls[at]
    if (call) turn.calls[at] = { ...call, summary, outcome, ...defined({ duration_ms }) }
  },
  agent_error: (_, turn) => {
    turn.faults++
  },
  person_message: spoke,
  correction: spoke,
}

/** The turns of an agent, from one pass over its events. What came before the first turn is turn 0. */
export class TurnFold {
  readonly #turns: Made[] = []
  #hasTimes = true
  #isOver = false

  add(event: Event): void {
    const { seq, turn, timestamp: began } = event
    const [first] = this.#turns
    if (event.type === 'run_end' && first) {
      const wall_ms = Date.parse(began) - Date.parse(first.began)
      this.#hasTimes = !isTimeless(event.data.reason, wall_ms, turn)
    }
    const last = this.#turns.at(-1)
    const now = last?.turn === turn ? last : { ...nothing(), turn, from: seq, to: seq, began }
    if (now !== last) {
      this.#turns.push(now)
      this.#isOver = false
    }
    now.to = seq
    if (!this.#isOver) now.wall_ms = Math.max(0, Date.parse(began) - Date.parse(now.began))
    this.#isOver ||= event.type === 'run_end'
    byType(told, event, now)
  }

  get turns(): Turn[] {
    return this.#hasTimes ? this.#turns : this.#turns.map((turn) => ({ ...turn, wall_ms: 0 }))
  }
}

/** The same of a log, without its raw parts. */
export async function turnsOf(store: Store, agentId: string): Promise<Turn[]> {
  const fold = new TurnFold()
  for await (const event of store.read(agentId, { raw: false })) fold.add(event)
  return fold.turns
}

const nothing = () => ({
  ...{ wall_ms: 0, prompt_tokens: 0, completion_tokens: 0, raw_bytes: 0, faults: 0 },
  ...{ text: '', calls: [], person: false },
})
