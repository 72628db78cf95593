import type { Json } from '../../event/json.ts'

/** What the sandbox's process is told, one JSON line each. The first is the job, the others answer its calls. */
export interface Job {
  readonly source: string
  readonly inputs: Json
  readonly externals: readonly string[]
  readonly message_bytes_max: number
  readonly calls_max: number
}
export type Answer =
  | { readonly id: number; readonly value: Json }
  | { readonly id: number; readonly error: string }

/** What it says: that it is ready, a call of an external, and how the script ended. */
export type SandboxMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'call'; readonly id: number; readonly name: string; readonly args: readonly Json[] }
  /** `stated`: the value was made by the script's success(), partial() or error(). */
  | { readonly type: 'returned'; readonly value: Json; readonly stated?: boolean }
  | { readonly type: 'threw'; readonly error: string }
