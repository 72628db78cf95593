import type { FileChange } from '../../core/event/delta.ts'
import type { ShellCommand } from '../../text/shell.ts'

/** What a call was for, told from the shape of its arguments and, for a shell, from what it runs. */
export type Intent =
  | ReadIntent
  | { readonly kind: 'search'; readonly pattern: string; readonly path?: string }
  | { readonly kind: 'list'; readonly path: string }
  /** Text of files is replaced, written or deleted: `changes` says how, where that is certain. */
  | { readonly kind: 'change'; readonly path: string; readonly verb: 'edit' | 'insert' | 'write' | 'remove' }
  | { readonly kind: 'run'; readonly command: string }
  | { readonly kind: 'other' }

export interface ReadIntent {
  readonly kind: 'read'
  readonly path: string
  /** The first line asked for; 0 when it can't be known (`tail`). */
  readonly from?: number
  readonly to?: number
  /** Whether each line was asked for with its number; absent where only the output shows it. */
  readonly numbers?: boolean
}

/** A call, read once for all summarizers. */
export interface CallMeaning {
  readonly intent: Intent
  /** The call in a few words, for sentences. */
  readonly label: string
  /** What a shell command runs; empty for other calls. */
  readonly programs: ShellCommand
  /** What the call does to files if it succeeds, as far as its arguments say. */
  readonly changes: readonly FileChange[]
}
