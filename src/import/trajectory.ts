import { defined, type Json, type JsonObject } from '../core/event/json.ts'
import { unpacked } from './packed.ts'
import { spokenIn } from './spoken.ts'

/** One session of some other harness, in the order in which it happened. */
export interface Trajectory {
  /** Null: it is the first thing that a person says. */
  readonly goal: string | null
  readonly instructions: string
  /** What the source says of itself; recorded with the run, never shown to a model. */
  readonly origin: JsonObject
  /** When it began; the time of its log. */
  readonly started?: string
  readonly steps: Iterable<Step> | AsyncIterable<Step>
}

/** What happened next: a person or a program spoke, the model answered, a call came back, or something is worth a remark. */
export type Step = {
  /** When it happened, as the source says it: ISO 8601. */
  readonly at?: string
} & (
  | {
      readonly kind: 'person'
      readonly text: string
    }
  /** What the model said and the calls that it made in one answer, or in a part of one. */
  | {
      readonly kind: 'model'
      /** Names the answer, where the source writes it down in parts: parts with one name are one turn. */
      readonly answer?: string
      /** The number of the turn, where the source counts them. */
      readonly turn?: number
      readonly text: string
      readonly calls: readonly {
        readonly call_id?: string
        readonly tool: string
        readonly args: Json
      }[]
      readonly model?: string
      readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number }
      readonly latency_ms?: number
      readonly finish?: string
      /** What the model sent, thoughts included, as the source has it. */
      readonly completion?: string
    }
  /** A result of the oldest call with its id that has none yet: some harnesses count their ids anew. */
  | {
      readonly kind: 'result'
      readonly call_id?: string
      /** For a result without a call. */
      readonly tool?: string
      /** What came back, exactly as the source has it for its model. */
      readonly output: Json
      /** All that the harness itself was given, where that is more: `{file: {content, startLine}}`. For people alone. */
      readonly packed?: string
      /** null: the source does not say. */
      readonly is_error: boolean | null
      readonly duration_ms?: number
    }
  /** What the program around the model said, of itself or in a person's place; recorded, never shown to a model. */
  | {
      readonly kind: 'note'
      readonly text: string
    }
  /** What went wrong in the source, or could not be read of it; recorded, never shown to a model. */
  | {
      readonly kind: 'remark'
      readonly where: string
      readonly text: string
    }
)

type StepOf<Kind extends Step['kind']> = Extract<Step, { readonly kind: Kind }>
export type ModelStep = StepOf<'model'>
export type ResultStep = StepOf<'result'>
export type StepCall = ModelStep['calls'][number]

/** Steps as readers make them: what a source does not have is left out. */
export type Given<T> = { readonly [Name in keyof T]?: T[Name] | undefined }

export const modelStep = (step: Given<Omit<ModelStep, 'kind'>>): ModelStep => ({
  ...{ kind: 'model', text: '', calls: [] },
  ...defined(step),
})

/** A result that its harness packed is its text, with the packed form beside it. */
export const resultStep = (
  given: Json,
  step: Given<Omit<ResultStep, 'kind' | 'output'>> = {},
): ResultStep => ({
  ...{ kind: 'result', is_error: null },
  ...unpacked(given),
  ...defined(step),
})

/** What stands in a person's place: their words, and what a program put there. */
export function personSteps(text: string, at?: string): Step[] {
  const { said, others } = spokenIn(text)
  return [
    ...noteSteps(others.join('\n'), at),
    ...(said === '' ? [] : [{ kind: 'person' as const, text: said, ...defined({ at }) }]),
  ]
}

export const noteSteps = (text: string, at?: string): Step[] =>
  text.trim() === '' ? [] : [{ kind: 'note', text, ...defined({ at }) }]

export const callOf = (tool: string | undefined, args: Json, call_id?: string): StepCall => ({
  ...{ tool: tool ?? 'unknown', args },
  ...defined({ call_id }),
})
