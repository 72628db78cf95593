import type { AgentSummary } from '../../run/agent-summary.ts'

/** An event of a log, for links: line `seq` of the log holds it. */
export interface At {
  readonly seq: number
  readonly turn: number
}

/** One finished call. */
export interface ReportStep extends At {
  readonly tool: string
  readonly summary: string
  readonly outcome: 'success' | 'error' | 'partial'
  readonly duration_ms?: number
}

/** What an agent did to a file: as its tools say, or as a person decided. */
export interface ReportChange extends At {
  readonly path: string
  readonly kind: 'edited' | 'written' | 'removed' | 'touched' | 'accepted' | 'rejected'
  /** Of the path. */
  readonly times: number
}

/** What was written into the project, or is proposed to be, as a patch. */
export interface ReportPatch {
  readonly what: 'accepted' | 'proposed'
  readonly text: string
}

export interface ReportFailure extends At {
  /** `tool`, or where the fault was: model, hub, run. */
  readonly where: string
  readonly message: string
}

/** What one model was asked, and what that costs by the price table. */
export interface ModelUse {
  readonly model: string
  readonly requests: number
  readonly prompt_tokens: number
  readonly completion_tokens: number
  /** Requests whose tokens are our own count, because the server gave none. */
  readonly counted_here: number
  readonly answer_ms: number
  /** Undefined when the price table has no such model. */
  readonly cost?: number
}

/** One agent, from its first event to its last. */
export interface AgentPart extends AgentSummary {
  readonly end?: At
  readonly asked: { readonly goal: string; readonly words: readonly (At & { readonly text: string })[] }
  readonly tools: readonly { readonly tool: string; readonly calls: number; readonly failed: number }[]
  /** Empty in reports of many agents. */
  readonly steps: readonly ReportStep[]
  readonly changes: readonly ReportChange[]
  /** Empty in reports of many agents. */
  readonly patches: readonly ReportPatch[]
  /** The first ones; `failed_calls` counts all. */
  readonly failures: readonly ReportFailure[]
  readonly models: readonly ModelUse[]
}

export interface ReportTotals {
  readonly agents: number
  readonly failed: number
  readonly open: number
  readonly events: number
  readonly turns: number
  readonly calls: number
  readonly failed_calls: number
  readonly raw_bytes: number
  readonly files_changed: number
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly answer_ms: number
  readonly tool_ms: number
  /** Of the models in the price table; undefined when none of those that were asked is in it. */
  readonly cost?: number
}

/** What was asked, done, changed, failed, and what it cost. */
export interface Report {
  readonly made: string
  readonly filter: ReportFilter
  readonly currency: string
  readonly totals: ReportTotals
  readonly models: readonly ModelUse[]
  /** Models without a price that were asked. */
  readonly unpriced: readonly string[]
  readonly agents: readonly AgentPart[]
}

export interface ReportFilter {
  readonly run_id?: string
  readonly node_id?: string
  readonly operation?: string
  readonly agent_id?: string
  /** Only logs that began at this time or later, as an ISO date. */
  readonly since?: string
}

/** A log that is damaged counts as one: nobody knows what became of its agent. */
export const isFailed = ({ outcome }: AgentPart): boolean => outcome === 'failed' || outcome === 'damaged'
