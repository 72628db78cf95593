import type { Candidate, Outcome } from '../core/event/delta.ts'
import type { Json } from '../core/event/json.ts'
import type { State } from '../core/packet/state.ts'

/** What rules read: the state that the packet is chosen from, so that nothing they need is ever left out of it. */
export interface RuleView {
  readonly turn: number
  readonly node: { readonly id: string; readonly type: string }
  readonly knowledge: Readonly<Record<string, Json>>
  /** Oldest first; the outcome is null while a call has no result. */
  readonly actions: readonly {
    readonly tool: string
    readonly outcome: Outcome | null
    readonly summary: string
    readonly turn: number
  }[]
  /** How often each declared tool was called, over the whole log. */
  readonly calls: Readonly<Record<string, number>>
  readonly diagnostics: readonly string[]
  readonly last_error: string | null
}

/** Proposes what an agent may do next; a small model chooses among it. Must not throw. */
export type ProposeCandidates = (view: RuleView) => readonly Candidate[]

export const ruleView = (state: State, calls: RuleView['calls']): RuleView => ({
  turn: state.turn,
  node: state.node,
  knowledge: Object.fromEntries(Object.entries(state.knowledge).map(([key, { value }]) => [key, value])),
  actions: state.actions,
  calls,
  diagnostics: state.diagnostics.map(({ value }) => value),
  last_error: state.last_error?.value ?? null,
})
