import { type ByType, byType } from '../core/event/by-type.ts'
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
  /** From its first event to its last; 0 in a recording without times. */
  readonly wall_ms: number
  /** Of its prompts together. */
  readonly prompt_tokens: number
  readonly completion_tokens: number
  /** The model's words. */
  readonly text: string
  readonly calls: readonly TurnCall[]
}

type Made = { -readonly [K in keyof Turn]: Turn[K] } & { calls: TurnCall[] }

/** The turns of an agent, in one pass over its log without the raw parts. What came before the first turn is turn 0. */
export async function turnsOf(store: Store, agentId: string): Promise<Turn[]> {
  const turns: Made[] = []
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
    tool_result: ({ data: { tool, outcome, duration_ms }, delta }, { calls }) => {
      const at = calls.findIndex((call) => call.tool === tool && call.outcome === undefined)
      const summary = delta?.add_action?.[0]?.summary ?? ''
      const call = calls[at]
      if (call)
        calls[at] = { ...call, summary, outcome, ...(duration_ms === undefined ? {} : { duration_ms }) }
    },
  }
  let hasTimes = true
  for await (const event of store.read(agentId, { raw: false })) {
    if (event.type === 'run_end' && turns[0]) {
      const wall_ms = Date.parse(event.timestamp) - Date.parse(turns[0].began)
      hasTimes = !isTimeless(event.data.reason, wall_ms, event.turn)
    }
    const { seq, turn, timestamp: began } = event
    if (turns.at(-1)?.turn !== turn) turns.push({ turn, from: seq, to: seq, began, ...nothing(), calls: [] })
    const now = turns.at(-1)
    if (!now) continue
    now.to = seq
    now.wall_ms = Math.max(0, Date.parse(began) - Date.parse(now.began))
    byType(told, event, now)
  }
  return hasTimes ? turns : turns.map((turn) => ({ ...turn, wall_ms: 0 }))
}

const nothing = () => ({ wall_ms: 0, prompt_tokens: 0, completion_tokens: 0, text: '' })
