import type { Check, ContextProvider, ReasonRule, StatusRule } from '../agent/agent.ts'
import type { ProposeCandidates } from '../agent/rule-view.ts'
import type { Store } from '../core/store/store.ts'
import type { Hub } from '../hub/hub.ts'
import type { Memory } from '../memory.ts'
import type { Model } from '../model/model.ts'
import type { SharedRun, Tool, ToolFiles } from '../tool/tool.ts'
import type { JudgedCall, Policy } from '../trust/policy.ts'
import type { Trusts } from '../trust/trust.ts'
import type { RunState } from './state.ts'

/** One agent at work: its memory, what chooses for it, and what it may use. */
export interface AgentRun {
  /** Grouped: what has an effect (a model that is asked, a tool that runs) waits for `flush`. */
  readonly memory: Memory
  readonly store: Store
  /** Of everything recorded so far. */
  readonly state: () => RunState
  readonly model: Model
  /** One of them is `submit_result`, which ends the run. */
  readonly tools: readonly Tool[]
  readonly candidates: ProposeCandidates
  readonly status: readonly StatusRule[]
  /** What decides whether the work is done. */
  readonly check?: Check
  /** The agent failed, whatever it handed in, where one of these holds at its end. */
  readonly failsWhen: readonly ReasonRule[]
  readonly contextProviders: readonly ContextProvider[]
  /** What the tools work in; an agent whose tools need no files has none. */
  readonly workspace: (ToolFiles & { readonly root: string }) | undefined
  /** The project that it is a copy of, where it is one. */
  readonly project?: string
  readonly shared?: SharedRun
  /** What the model is given: the packet, the transcript, or the transcript and then the packet. */
  readonly context: 'packet' | 'messages' | 'both'
  readonly limits: RunLimits
  readonly hub?: Hub
  /** What the agent may do with its tools, and who approves what needs a person; nobody, unless given. */
  readonly policy?: Policy
  readonly approve?: Approve
  /** What of the project a person trusts. */
  readonly trusts?: Trusts
  /** A larger model that is asked when the agent is stuck. */
  readonly escalation?: Model
  /** Records what the agent proposes: before its end, and where its copy is portable before each result of a call that may have changed something. */
  readonly propose?: () => Promise<void>
  readonly portable?: boolean
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>
  readonly random: () => number
}

/** Asks a person whether a call may run. */
type Approve = (
  call: JudgedCall & { readonly agent_id: string; readonly seq: number },
  signal: AbortSignal,
) => Promise<boolean>

interface RunLimits {
  readonly turnsMax: number
  /** Of all prompts together; undefined for no limit. */
  readonly promptTokensMax?: number
  /** Of a call of a tool, and of whatever else is asked before a prompt: the hub, context providers, middleware. */
  readonly toolDeadlineMs?: number
}
