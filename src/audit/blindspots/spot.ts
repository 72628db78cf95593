/** What kind of thing raw output said and the packet did not show. */
export type SpotKind = 'error' | 'failing_test' | 'place' | 'exit_code' | 'path' | 'name' | 'number'

/** What came of it: a call that needed it failed, asked for the same again, or named it; or the calls after it failed. */
export interface Harm {
  readonly kind: 'call_failed' | 'asked_again' | 'named' | 'failed_after'
  readonly turn: number
  /** The call. */
  readonly seq: number
}

/** Why a packet did not show what the raw output said. */
export type Blame =
  /** The delta does not hold it. */
  | { readonly by: 'summarizer'; readonly name: string; readonly version?: string }
  /** The state held it once and had to let it go. */
  | { readonly by: 'cap'; readonly name: string }
  /** A later event put something else in its place. */
  | { readonly by: 'replaced'; readonly name: string }
  /** The state held it, and the view did not show it within the limit of the packet. */
  | { readonly by: 'view'; readonly name: string }

/** A piece of raw output, mostly one line, that a decision was made without. */
export interface Spot {
  /** The turn whose calls were chosen without it. */
  readonly turn: number
  /** The event whose raw output says it, and the line, from 1; the last of several that stand together. */
  readonly seq: number
  readonly line: number
  readonly to_line: number
  /** The line, or of several the one that says most. */
  readonly text: string
  readonly kind: SpotKind
  /** What later calls named of it, as it is written here; empty for a line that matters by itself. */
  readonly names: readonly string[]
  readonly harm: readonly Harm[]
  readonly blame: Blame
  /** The higher, the more harm. */
  readonly score: number
}

/** One decision that was made without something that raw output had said. */
export interface BlindDecision {
  readonly turn: number
  readonly spots: readonly Spot[]
}
