import { z } from 'zod'
import { jsonObject } from './json-field.ts'

export const outcomeSchema = z.enum(['success', 'error', 'partial'])
export type Outcome = z.infer<typeof outcomeSchema>

const actionSchema = z.strictObject({
  tool: z.string(),
  summary: z.string(),
  outcome: outcomeSchema,
})

const candidateSchema = z.strictObject({
  tool: z.string(),
  args: jsonObject,
  reason: z.string(),
})
export type Candidate = z.infer<typeof candidateSchema>

const focusSchema = z.strictObject({ place: z.string(), text: z.string() })

/**
 * How one event changes the packet. Deltas are made before the event is appended and stored in it; replay
 * applies them as they are. Turn, ref and source of each entry are those of the event, so they are not here.
 */
export const deltaSchema = z.strictObject({
  add_action: z.array(actionSchema).optional(),
  /** Applied before `update_knowledge`: keys that this delta makes obsolete. */
  supersedes: z.array(z.string()).optional(),
  update_knowledge: jsonObject.optional(),
  /** Applied after `update_knowledge`. */
  remove_knowledge: z.array(z.string()).optional(),
  /** A message counts as an error; null clears the last one and keeps the count. */
  set_error: z.string().nullable().optional(),
  set_state_summary: z.string().optional(),
  /** Lines about open problems; `null` first clears those of earlier events. */
  add_diagnostics: z.array(z.string().nullable()).optional(),
  add_failed_attempt: z.array(z.string()).optional(),
  set_focus: focusSchema.nullable().optional(),
  set_candidates: z.array(candidateSchema).optional(),
  set_hub_context: z.strictObject({ context: jsonObject, freshness: z.string() }).nullable().optional(),
  set_extension: jsonObject.optional(),
})
export type Delta = z.infer<typeof deltaSchema>
