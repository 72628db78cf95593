import { z } from 'zod'
import { ID_CHARS_MAX } from '../../limits.ts'
import { json } from './json-field.ts'

const id = z.string().min(1).max(ID_CHARS_MAX)
const count = z.int().nonnegative()
const seq = z.int().positive()

/** What stands in the log of a run, which has no packet: what it is to do, and what people say to its agents. */
export const runLogSchemas = {
  /** The agents are in the raw part, for there may be many. */
  run_plan: z.strictObject({ by: z.string(), agents: count, commit: z.string().optional() }),
  /** Planned agents that never begin: there is nothing to do for them. The raw part names them. */
  run_done: z.strictObject({ skipped: count }),
  /** A word for an agent, until its process takes it in. */
  said: z.strictObject({ agent_id: id, by: z.string(), text: z.string() }),
  /** A call that waits for a person: the seq of its `tool_call`. */
  asked: z.strictObject({ agent_id: id, call: seq, tool: z.string(), effect: z.string(), args: json }),
  /** What a person made of it; the first counts. */
  approval: z.strictObject({ agent_id: id, call: seq, by: z.string(), allowed: z.boolean() }),
} as const
