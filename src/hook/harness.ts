import type { JsonObject } from '../core/event/json.ts'
import type { Step } from '../import/trajectory.ts'

/** What one message of a harness to its hook says. */
export interface Told {
  /** The harness's own name of the session. */
  readonly session: string
  /** A helper that works for the session, by its own name: it has a log of its own. */
  readonly helper?: string
  /** What happened; nothing where it is not of interest. */
  readonly steps: readonly Step[]
}

/** A program that people run their agents with, and that tells hooks what it does. */
export interface Harness {
  /** As it is typed, and as its sessions are called. */
  readonly name: string
  /** Most that it takes in from a hook, in tokens and in characters. */
  readonly takes: { readonly tokens: number; readonly chars: number }
  /** Reads what it told; undefined where that is nothing it should have. */
  read(payload: JsonObject): Told | undefined
}
