import type { Event } from '../../core/event/event.ts'
import type { Json } from '../../core/event/json.ts'

/** A part of a recorded text, in bytes of its UTF-8 form; `line` counts from 1. */
export interface Mark {
  readonly from: number
  readonly to: number
  readonly line: number
  readonly text: string
}

/** Where a value of the packet comes from. */
export interface Why {
  readonly agent_id: string
  /** The turn after which the packet holds it. */
  readonly turn: number
  readonly pointer: string
  readonly value: Json
  /** The text inside the value that was asked for; sources are those of this text alone. */
  readonly asked?: string
  /** For an empty value: what stood there last, and the event that emptied it, unless only the packet lacks space for it. */
  readonly before?: { readonly value: string; readonly emptied_by?: number }
  /** The events that it comes from, or the value before it; empty where none has ever set it. */
  readonly sources: readonly {
    readonly seq: number
    readonly turn: number
    readonly type: Event['type']
    readonly timestamp: string
    readonly said_by: 'person' | 'definition' | 'model' | 'tool' | 'hub'
    /** Parts of the event out of which texts were taken: what stands there is not all that was said. */
    readonly redacted?: readonly ('payload' | 'raw')[]
    /** JSON pointer into the event. */
    readonly field: string
    /** What of the value comes from here; absent where all of it does. */
    readonly part?: string
    readonly call?: { readonly seq: number; readonly tool: string; readonly args: Json }
    readonly summarizer?: { readonly name: string; readonly version?: string }
    /** Recorded bytes behind it, with the parts that it was made from. */
    readonly evidence: readonly {
      readonly seq: number
      /** `raw_output` or `args` of a call, or a JSON pointer into the event. */
      readonly part: string
      readonly bytes: number
      /**
       * How the value follows from the bytes that are marked:
       *
       * - `verbatim`: every fragment of it stands there as it is (between `⋮` and `…` where it was cut);
       * - `rewritten`: every word of it stands there, in other order or wrapping: JSON as lines, a page without markup;
       * - `composed`: a sentence, a count or a judgement made of them: its names stand there, the rest are the maker's words;
       * - `stated`: output and call do not hold its names: a tool said it beside its output, or a summarizer took it from the
       *   packet before. The event's own field holds it.
       */
      readonly how: 'verbatim' | 'rewritten' | 'composed' | 'stated'
      readonly marks: readonly Mark[]
      /** Words of the value that stand in none of the evidence: the maker's own, and what it counted. */
      readonly own_words: readonly string[]
      /** The raw bytes were pruned: the field of the payload is shown instead. */
      readonly pruned?: boolean
    }[]
  }[]
  /** Other leaves that hold the same text. */
  readonly also: readonly string[]
}

export type Source = Why['sources'][number]
export type Evidence = Source['evidence'][number]
export type How = Evidence['how']

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
