import type { ProposeCandidates } from '../agent/rule-view.ts'
import type { Hub } from '../hub/hub.ts'
import type { Memory } from '../memory.ts'
import type { Tool, ToolFiles } from '../tool/tool.ts'
import type { AgentOptions } from './agent-options.ts'
import type { RunState } from './state.ts'

/** What of its options an agent at work has as it was given, and what is there unless it was. */
type Given = Pick<
  AgentOptions,
  'store' | 'model' | 'check' | 'shared' | 'policy' | 'approve' | 'trusts' | 'escalation'
>
type Usual = Required<
  Pick<AgentOptions, 'status' | 'failsWhen' | 'contextProviders' | 'context' | 'wait' | 'random'>
>

/** One agent at work: its memory, what chooses for it, and what it may use. */
export interface AgentRun extends Given, Usual {
  /** Grouped: what has an effect (a model that is asked, a tool that runs) waits for `flush`. */
  readonly memory: Memory
  /** Of everything recorded so far. */
  readonly state: () => RunState
  /** One of them is `submit_result`, which ends the run. */
  readonly tools: readonly Tool[]
  readonly candidates: ProposeCandidates
  /** What the tools work in; an agent whose tools need no files has none. */
  readonly workspace: (ToolFiles & { readonly root: string }) | undefined
  /** The project that it is a copy of, where it is one. */
  readonly project?: string
  readonly limits: AgentOptions['limits'] & { readonly turnsMax: number }
  readonly hub?: Hub
  /** Records what the agent proposes: before its end, and where its copy is portable before each result of a call that may have changed something. */
  readonly propose?: () => Promise<void>
  readonly portable?: boolean
}
