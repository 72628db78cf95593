import type { z } from 'zod'
import type { Check, ContextProvider, ReasonRule, Rule, StatusRule } from '../agent/agent.ts'
import type { RuleView } from '../agent/rule-view.ts'
import type { Candidate } from '../core/event/delta.ts'
import type { Event, EventFor } from '../core/event/event.ts'
import type { Json } from '../core/event/json.ts'
import type { Packet } from '../core/packet/packet.ts'
import type { Hub } from '../hub/hub.ts'
import type { MemoryOptions } from '../memory.ts'
import type { Model } from '../model/model.ts'
import type { SharedRun, Tool } from '../tool/tool.ts'
import type { Policy } from '../trust/policy.ts'
import type { Trusts } from '../trust/trust.ts'
import type { WorkspaceOptions } from '../workspace/make.ts'
import type { Change } from '../workspace/merged.ts'
import type { AgentSummary } from './agent-summary.ts'

/** An agent: what it is to do, with which tools, and what chooses for it. `goal` is needed for a new log only. */
export interface AgentOptions
  extends Omit<MemoryOptions, 'agentId' | 'wire' | 'tools' | 'constraints' | 'frameTokens' | 'grouped'> {
  readonly model: Model
  /** The same id again goes on with its log; a new one is made unless given. */
  readonly agentId?: string
  readonly tools?: readonly Tool[]
  /** What `submit_result`, the tool that ends the run, takes; `{ summary }` unless given. */
  readonly submit?: z.ZodObject
  /** Rules that are shown in every packet. */
  readonly safety?: readonly string[]
  /** A folder that the tools work in, or a project that the agent gets its own copy of. */
  readonly workspace?: string | Omit<WorkspaceOptions, 'id'>
  /** What the agent may do next: rules over the state, or a function of it. */
  readonly candidates?: readonly Rule[] | ((view: RuleView) => readonly Candidate[])
  /** Where the work stands: rules, the first that holds is the packet's state summary. */
  readonly status?: readonly StatusRule[]
  /** A tool that decides whether the work is done: it is called before a result is taken, unless it was since the last change. */
  readonly check?: Check
  /** The agent failed, whatever it handed in, where one of these holds at its end: the tests fail, the linter did not run. */
  readonly failsWhen?: readonly ReasonRule[]
  readonly contextProviders?: readonly ContextProvider[]
  /** A hub stays open; one that is opened here is closed here. */
  readonly hub?: Hub | ((workspace: (() => string) | undefined) => Promise<Hub>)
  /** A larger model that is asked when the agent is stuck. */
  readonly escalation?: Model
  readonly limits?: {
    readonly turnsMax?: number
    /** Of all prompts together. */
    readonly promptTokensMax?: number
    /** Of a call of a tool, and of whatever else is asked before a prompt: the hub, context providers, middleware. */
    readonly toolDeadlineMs?: number
  }
  /** What the model is given; the packet unless told otherwise. */
  readonly context?: 'packet' | 'messages' | 'both'
  /** Lets the model ask for excerpts of earlier raw output. */
  readonly recall?: boolean
  /** What the agent may do with its tools, whatever its model says. */
  readonly policy?: Policy
  /** Asks a person about calls that `policy.ask` names; without it these are refused. */
  readonly approve?: (
    call: {
      readonly agent_id: string
      /** Of the event that records the call. */
      readonly seq: number
      readonly tool: string
      readonly args: Json
      readonly effect: string
    },
    signal: AbortSignal,
  ) => Promise<boolean>
  /** What of the project its tools may run or load; nothing, unless given. */
  readonly trusts?: Trusts
  /** What it shares with other agents of the same run. @internal */
  readonly shared?: SharedRun
  readonly signal?: AbortSignal
  /** Called with each event once it is on disk. If it throws, that is an event too, and it is not called again. */
  readonly onEvent?: (event: Event) => void
  /** How long to wait before a retry, for tests. @internal */
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>
  /** @internal */
  readonly random?: () => number
}

/** What an agent came to: what became of it, and what it leaves. */
export interface AgentReport
  extends Pick<
    AgentSummary,
    | 'agent_id'
    | 'events'
    | 'turns'
    | 'raw_bytes'
    | 'prompt_tokens'
    | 'prompt_tokens_max'
    | 'standing'
    | 'problems'
    | 'claim'
  > {
  /** Why it ended, in the log's words and in a person's. */
  readonly stop: { readonly reason: EventFor<'run_end'>['data']['reason']; readonly summary: string }
  /** Whether it handed in nothing, or one of `failsWhen` holds. */
  readonly failed: boolean
  /** The arguments of `submit_result`, if the agent called it. */
  readonly result: Json | undefined
  readonly packet: Packet
  /** Problems that are still open: all of them, where the packet may have space for a few. */
  readonly open: readonly string[]
  /** What the agent proposes to change in the project, which its log holds; `acceptProposal` takes it. */
  readonly changes: readonly Change[]
}
