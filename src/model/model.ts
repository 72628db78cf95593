import type { Candidate } from '../core/event/delta.ts'
import type { Call, ToolDeclaration } from '../core/event/event.ts'
import type { JsonObject } from '../core/event/json.ts'
import type { ChatMessage } from '../core/memory/messages.ts'
import type { Prompt } from '../core/view/prompt.ts'

/**
 * The port to whatever chooses the next call. Contract:
 *
 * - `answer` makes one attempt; retries are the caller's, so that each fault is recorded.
 * - It throws only a TwotrackError with code `model_fault` and `details: ModelFault`, or the signal's reason.
 * - It never runs a tool, and never keeps state between answers: the prompt is all it knows.
 */
export interface Model {
  readonly name: string
  /** The name of the prompt format it sends; recorded, so that `verify` can make the same text again. */
  readonly format: string
  /** The fields of the body that it sends, beside what the format serves; a model without sends none itself. */
  parameters?(request: ModelRequest): JsonObject
  answer(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer>
}

export interface ModelRequest {
  readonly prompt: Prompt
  readonly tools: readonly ToolDeclaration[]
  /** The transcript, when the run's context mode is `messages` or `both`. */
  readonly messages?: readonly ChatMessage[]
  /** What to send: the packet (default), the transcript, or the transcript and then the packet. */
  readonly context?: 'packet' | 'messages' | 'both'
  /** The candidate actions as they were proposed; the packet may have space for fewer. */
  readonly candidates?: readonly Candidate[]
  /** Whether a call is required, as it is in every turn but an escalation. */
  readonly callRequired: boolean
  /** What was recorded as the body: the model sends exactly this. */
  readonly body?: string
}

export interface ModelAnswer {
  readonly text: string
  readonly calls: readonly Call[]
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number }
  readonly finish?: string
  /** What `text` and `calls` were read from. A model that receives nothing has none. */
  readonly completion?: string | Uint8Array
}

/** What a server sent, byte for byte: text, or bytes where they are not UTF-8. Only the API key is replaced in it. */
export type Completion = NonNullable<ModelAnswer['completion']>

export const FAULT_KINDS = [
  'unreachable',
  'timeout',
  'rate_limited',
  'server_error',
  'rejected',
  'unauthorized',
  'bad_answer',
  'truncated',
  'no_answer_recorded',
] as const

/** Why an attempt failed, and whether to make another. */
export interface ModelFault {
  readonly kind: (typeof FAULT_KINDS)[number]
  readonly retry: boolean
  /** What the server asked us to wait, in milliseconds. */
  readonly wait_ms?: number
  /** What was received before the attempt failed, if anything was. */
  readonly completion?: string | Uint8Array
}
