import type { Delta, Learned, Outcome } from '../event/delta.ts'
import type { BlobRef, Draft } from '../event/event.ts'
import type { Json } from '../event/json.ts'
import type { Packet } from '../packet/packet.ts'
import type { State } from '../packet/state.ts'

/** Whatever a tool returned or threw, in one shape. */
export interface Returned {
  /** Text as the tool gave it, or JSON text of what it gave. */
  readonly text: string
  /** What a reader needs of it, where the text says more: the message of a thrown error, whose stack is our own code. */
  readonly shown?: string
  /** Set when the tool gave bytes that are not UTF-8; `text` is then only what can be read of them. */
  readonly bytes?: Uint8Array
  /** Where the raw output is already, if the tool stored it while it ran. */
  readonly stored?: BlobRef
  readonly output?: Json
  readonly outcome: Outcome
  readonly error?: string
  /** What the tool itself states; nothing for foreign data. */
  readonly own?: Partial<Learned>
}

/** One finished call: what was called, what came back, and the packet before it. */
export interface FinishedCall extends Returned {
  readonly tool: string
  readonly args: Json
  readonly turn: number
  /** Undefined only before the first event. */
  readonly packet: Packet | undefined
  /** What was known before it. */
  readonly state?: State | undefined
}

/** What a finished call changes, and who says so. */
export interface Lesson {
  readonly delta: Delta
  /** Recorded with the event: which summarizer spoke, and which failed before it. */
  readonly summarizer: string
  /** Of the one that spoke, where it states one. */
  readonly version?: string
  readonly outcome: Outcome
}

/** Port to what knows tools and their output. Neither may throw, and both are pure: they run before the event is made. */
export interface Learner {
  read(returned: unknown): Returned
  learn(call: FinishedCall): Lesson
  /** What the model's own words say that should be known later. */
  hear(words: string, state: State): Delta
}

/** What the model said is listened to before it is recorded. */
export function heard(draft: Draft, learner: Learner, state: State): Draft {
  if (draft.type !== 'model_response' || draft.delta) return draft
  const delta = learner.hear(draft.data.text, state)
  return Object.keys(delta).length === 0 ? draft : { ...draft, delta }
}
