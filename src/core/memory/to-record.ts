import type { Call, EventFor } from '../event/event.ts'
import type { Json, JsonObject } from '../event/json.ts'

/** How a prompt was put for a model; without any of it, as the prompt's own text. */
export interface SentPrompt {
  readonly purpose?: 'turn' | 'escalation'
  readonly format?: string
  readonly context?: 'packet' | 'messages' | 'both'
  readonly text?: string
  /** Where the text is the body of a request: what it has beside what the format serves. */
  readonly parameters?: JsonObject
  /** What of the transcript was left out. */
  readonly transcript?: NonNullable<EventFor<'model_request'>['data']['transcript']>
  /** What of the text a model reads, where the rest is only packing (JSON's escapes); all of it unless given. */
  readonly counted?: string
}

export interface CallToRecord {
  readonly tool: string
  readonly args: Json
  /** Whether it may run again when its result was lost; `effect`, which may not, unless given. */
  readonly effect?: EventFor<'tool_call'>['data']['effect']
  readonly callId?: string
}

export interface ResultToRecord {
  readonly call: EventFor<'tool_call'>
  /** Whatever the tool returned or threw. */
  readonly returned: unknown
  /** The whole arguments, where the event of the call has them cut. */
  readonly args?: Json
  readonly durationMs?: number
  /** What the tool said while it ran, for people. */
  readonly log?: string
  /** What the agent's policy made of the call. */
  readonly policy?: EventFor<'tool_result'>['data']['policy']
}

export interface ResponseToRecord
  extends Pick<EventFor<'model_response'>['data'], 'model' | 'usage' | 'finish'> {
  readonly text?: string
  readonly calls?: readonly Call[]
  readonly latencyMs?: number
  /** Exactly what the model sent. */
  readonly completion?: string | Uint8Array
}
