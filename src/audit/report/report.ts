import type { AgentSummary } from '../../run/agent-summary.ts'

/** What was asked, done, changed, failed, and what it cost. `seq` names the event that says so. */
export interface Report {
  readonly made: string
  readonly filter: Readonly<Record<string, string>>
  readonly currency: string
  readonly totals: {
    readonly agents: number
    readonly done: number
    /** Ended with a result, and their own check still finds problems. */
    readonly problems_left: number
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
  /** What models were asked, those with most tokens first. */
  readonly models: readonly {
    readonly model: string
    readonly requests: number
    readonly prompt_tokens: number
    readonly completion_tokens: number
    /** Requests whose tokens are our own count, because the server gave none. */
    readonly counted_here: number
    readonly answer_ms: number
    /** Undefined when the price table has no such model. */
    readonly cost?: number
  }[]
  readonly agents: readonly (AgentSummary & {
    /** Where it ended. */
    readonly end?: { readonly seq: number; readonly turn: number }
    readonly asked: {
      readonly goal: string
      /** What a person said later. */
      readonly words: readonly { readonly seq: number; readonly turn: number; readonly text: string }[]
    }
    readonly tools: readonly { readonly tool: string; readonly calls: number; readonly failed: number }[]
    /** Finished calls; empty in reports of many agents. */
    readonly steps: readonly {
      readonly seq: number
      readonly turn: number
      readonly tool: string
      readonly summary: string
      readonly outcome: 'success' | 'error' | 'partial'
      readonly duration_ms?: number
    }[]
    /** What became of each file: as the agent's tools say, or as a person decided. */
    readonly changes: readonly {
      readonly seq: number
      readonly turn: number
      readonly path: string
      readonly kind: 'edited' | 'written' | 'removed' | 'touched' | 'accepted' | 'rejected'
      readonly times: number
    }[]
    /** What was written into the project, or is proposed to be; empty in reports of many agents. */
    readonly patches: readonly { readonly what: 'accepted' | 'proposed'; readonly text: string }[]
    /** The first ones; `failed_calls` counts all. `where` is the tool, or where the fault was: model, hub, run. */
    readonly failures: readonly {
      readonly seq: number
      readonly turn: number
      readonly where: string
      readonly message: string
    }[]
    readonly models: Report['models']
  })[]
}

export type AgentPart = Report['agents'][number]
export type ModelUse = Report['models'][number]

/** A log that is damaged counts as one: nobody knows what became of its agent. */
export const isFailed = ({ outcome }: AgentPart): boolean => outcome === 'failed' || outcome === 'damaged'

/** The sum of each of these fields over all rows. */
export const sums = <K extends string>(
  rows: readonly Readonly<Record<K, number>>[],
  ...fields: readonly K[]
): Record<K, number> =>
  Object.fromEntries(
    fields.map((field) => [field, rows.reduce((sum, row) => sum + row[field], 0)]),
  ) as Record<K, number>
