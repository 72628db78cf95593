import type { EventFor } from '../core/event/event.ts'
import type { Finding } from '../core/store/finding.ts'
import type { Head } from '../core/store/store.ts'

/** What was found of one log. */
export interface Verified {
  readonly agent_id: string
  readonly ok: boolean
  readonly events: number
  readonly prompts: number
  /** Prompts that are bodies exactly as they went out. */
  readonly sent: number
  /** What of the requests is in the log, as its first event says. */
  readonly wire: EventFor<'run_start'>['data']['wire'] | undefined
  readonly blobs: number
  /** Files that a person accepted: each follows from what was proposed. */
  readonly accepted: number
  /** Events whose raw part was pruned; their packets were checked all the same. */
  readonly pruned: number
  /** What was taken out of it: who did, when, why, what, and of which events (first and last `seq` of each stretch). */
  readonly redactions: readonly (Pick<EventFor<'redacted'>['data'], 'by' | 'reason' | 'pattern'> & {
    readonly seq: number
    readonly timestamp: string
    /** Events that have marks in place of it. */
    readonly marked: readonly [number, number][]
    /** Events that lost their raw part. */
    readonly removed: readonly [number, number][]
  })[]
  readonly head: Head | undefined
  /** The view that its packets are shown in, where that is not known here: the chain was checked, its prompts could not be. */
  readonly unknown_view: string | undefined
  readonly findings: readonly Finding[]
}

export type RedactionFound = Verified['redactions'][number]
