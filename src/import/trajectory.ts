import type { Json, JsonObject } from '../core/event/json.ts'

/** One finished run of some other harness, in the order in which it happened. */
export interface Trajectory {
  readonly goal: string
  readonly instructions: string
  /** What the source says of itself; recorded with the run, never shown to a model. */
  readonly origin: JsonObject
  readonly steps: Iterable<Step> | AsyncIterable<Step>
}

/** One turn: what the agent said and the calls it made, or what a person said to it. */
export type Step =
  | {
      readonly kind: 'turn'
      readonly turn?: number
      readonly text: string
      readonly calls: readonly FinishedCall[]
    }
  | { readonly kind: 'user'; readonly text: string }

export interface FinishedCall {
  readonly call_id?: string
  readonly tool: string
  readonly args: Json
  /** Exactly what the source recorded; undefined when it has no result for the call. */
  readonly output?: Json
  /** null: the source does not say. */
  readonly is_error: boolean | null
}
