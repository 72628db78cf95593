import type { Json } from '../../event/json.ts'
import type { Speaker } from '../../packet/state.ts'
import type { Evidence } from './evidence.ts'
import type { Life } from './life.ts'
import type { Mark } from './marks.ts'

/** An event that a value comes from. */
export interface Source {
  readonly seq: number
  readonly turn: number
  readonly type: string
  readonly timestamp: string
  readonly said_by: Speaker
  /** JSON pointer into the event. */
  readonly field: string
  /** What of the value comes from here; absent where all of it does. */
  readonly part?: string
  readonly call?: { readonly seq: number; readonly tool: string; readonly args: Json }
  readonly summarizer?: { readonly name: string; readonly version?: string }
  readonly evidence: readonly Evidence[]
}

/** Where a value of the packet comes from, since when it stands and what became of it. */
export interface Why {
  readonly agent_id: string
  /** The turn after which the packet holds it. */
  readonly turn: number
  readonly pointer: string
  readonly value: Json
  /** The text inside the value that was asked for; sources are those of this text alone. */
  readonly asked?: string
  /** Empty for a value that no event has set; `life` then says whether the view left one out. */
  readonly sources: readonly Source[]
  readonly life: Life
  /** Other leaves that hold the same text. */
  readonly also: readonly string[]
}

/** A text that raw output holds and no packet showed. */
export interface Unseen {
  readonly agent_id: string
  readonly text: string
  readonly never_shown: readonly {
    readonly seq: number
    readonly turn: number
    readonly tool: string
    readonly summarizer: string
    readonly marks: readonly Mark[]
  }[]
}

export type Answer = Why | Unseen
