import type { Agent } from '../agent/agent.ts'
import type { StopReason } from '../event/event.ts'
import type { Hub } from '../hub/hub.ts'
import type { Memory } from '../memory/memory.ts'
import type { Model } from '../model/model.ts'
import type { Store } from '../store/store.ts'
import type { RunState } from './state.ts'

/** One agent at work: its memory, what chooses for it, and what it may use. */
export interface AgentRun {
  readonly agent: Agent
  readonly memory: Memory
  /** Of everything recorded so far (follow.ts). */
  readonly state: () => RunState
  readonly store: Store
  readonly model: Model
  /** Absolute folder of the agent's copy of the project. */
  readonly workspace: string
  readonly context: 'packet' | 'messages' | 'both'
  readonly limits: RunLimits
  readonly hub?: Hub
  /** A larger model that is asked when the agent is stuck. */
  readonly escalation?: Model
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>
  readonly random: () => number
  readonly onEvent?: (happened: Happened) => void
}

export interface RunLimits {
  readonly turns_max: number
  /** Of all prompts together; undefined for no limit. */
  readonly prompt_tokens_max?: number
  readonly tool_deadline_ms?: number
}

/** Why a run ended, in the log's words and in a person's. */
export interface Stop {
  readonly reason: StopReason
  readonly summary: string
}

export const cancelled = (summary = 'stopped from outside'): Stop => ({ reason: 'cancelled', summary })

/** What a progress view shows. */
export interface Happened {
  readonly agent_id: string
  readonly turn: number
  readonly what: string
  readonly prompt_tokens: number
}
