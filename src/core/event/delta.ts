import { z } from 'zod'
import type { Json } from './json.ts'
import { jsonObject } from './json-field.ts'

export const outcomeSchema = z.enum(['success', 'error', 'partial'])
export type Outcome = z.infer<typeof outcomeSchema>

const count = z.int().nonnegative()

/** One finished call. The call itself (tool and arguments) is in the `tool_call` event that the result answers. */
const actionSchema = z.strictObject({
  tool: z.string(),
  /** One or two sentences, outcome before process. */
  summary: z.string(),
  outcome: outcomeSchema,
  /** The output as a person would read it, within a cap; absent where `change_files` holds the same text. */
  output: z.string().optional(),
  /** Lines of `output`, from 0, that must stay when it has to be cut; the most important first. */
  highlights: z.array(count).optional(),
  /** It only looked at something (it read, searched or listed), and can be done again at any time. */
  looked: z.literal(true).optional(),
})

const candidateSchema = z.strictObject({
  tool: z.string(),
  args: jsonObject,
  reason: z.string(),
})
export type Candidate = z.infer<typeof candidateSchema>

/** What a change was about: the functions or keys that it touched, and the sentence with which the model announced it. */
const about = { names: z.array(z.string()).optional(), said: z.string().optional() }

/** What is known of a file's text. `read`: these lines stand there now. `edit`: this text was replaced by that; `lines`: these lines were. */
export const fileChangeSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('read'),
    path: z.string(),
    /** Number of the first line of `text`, from 1. */
    from: z.int().positive(),
    text: z.string(),
  }),
  z.strictObject({
    kind: z.literal('edit'),
    path: z.string(),
    before: z.string(),
    after: z.string(),
    /** Every place where `before` stands, not only the first. */
    all: z.boolean().optional(),
    /** Only on the line of this number. */
    line: z.int().positive().optional(),
    ...about,
  }),
  z.strictObject({
    kind: z.literal('lines'),
    path: z.string(),
    /** These lines went, none where `to` is before `from`, */
    from: z.int().positive(),
    to: count,
    /** and this stands in their place; null for nothing. */
    text: z.string().nullable(),
    ...about,
  }),
  z.strictObject({ kind: z.literal('write'), path: z.string(), text: z.string(), ...about }),
  z.strictObject({ kind: z.literal('remove'), path: z.string() }),
  /** Changed in a way that is not known: what was read before may no longer be so. */
  z.strictObject({
    kind: z.literal('touch'),
    path: z.string(),
    /** It is again as it was before this run, or at some commit. */
    restored: z.literal(true).optional(),
    ...about,
  }),
])
export type FileChange = z.infer<typeof fileChangeSchema>

export const planStatusSchema = z.enum(['open', 'active', 'done', 'dropped'])

/** An item of the agent's plan, by its id. A new id needs a text; a known one keeps what is not given. */
export const planChangeSchema = z.strictObject({
  id: z.string(),
  text: z.string().optional(),
  status: planStatusSchema.optional(),
})
export type PlanChange = z.infer<typeof planChangeSchema>

/** A sentence of the model's own that says what it found out or decided. */
const conclusionSchema = z.strictObject({
  text: z.string(),
  /** How much it says by its words: the more, the longer it is told. */
  score: count,
})
export type Conclusion = z.infer<typeof conclusionSchema>

/** What is known later of an attempt that failed at the event `ref`: why, and what came instead. */
const explanationSchema = z.strictObject({
  ref: z.int().positive(),
  why: z.string().optional(),
  later: z.string().optional(),
})

const focusSchema = z.strictObject({ place: z.string(), text: z.string() })

/**
 * How one event changes the packet. Deltas are made before the event is appended and stored in it; replay
 * applies them as they are. Turn, ref and source of each entry are those of the event, so they are not here.
 */
export const deltaSchema = z.strictObject({
  add_action: z.array(actionSchema).optional(),
  change_files: z.array(fileChangeSchema).optional(),
  /** In order; `null` drops all items before it. */
  update_plan: z.array(planChangeSchema.nullable()).optional(),
  /** Applied before `update_knowledge`: keys that this delta makes obsolete. */
  supersedes: z.array(z.string()).optional(),
  update_knowledge: jsonObject.optional(),
  /** Applied after `update_knowledge`. */
  remove_knowledge: z.array(z.string()).optional(),
  /** A message counts as an error; null clears the last one and keeps the count. */
  set_error: z.string().nullable().optional(),
  set_state_summary: z.string().optional(),
  set_node_summary: z.string().optional(),
  /** Lines about open problems; `null` drops all before it. */
  add_diagnostics: z.array(z.string().nullable()).optional(),
  /** Open problems of earlier events that a check no longer reports. */
  settle_problems: z.array(z.string()).optional(),
  add_failed_attempt: z.array(z.string()).optional(),
  explain_attempts: z.array(explanationSchema).optional(),
  add_conclusions: z.array(conclusionSchema).optional(),
  set_focus: focusSchema.nullable().optional(),
  set_candidates: z.array(candidateSchema).optional(),
  set_hub_context: z.strictObject({ context: jsonObject, freshness: z.string() }).nullable().optional(),
  set_extension: jsonObject.optional(),
})
export type Delta = z.infer<typeof deltaSchema>

/** What one call teaches: its action in words, and what else changes with it. */
export interface Learned {
  /** One or two sentences, outcome before process: what was done to what, and how it ended. */
  readonly summary: string
  /** When the output shows it better than the tool's own word: lint issues found is `partial`. */
  readonly outcome?: Outcome
  /**
   * The output in readable form, where the raw text is not: a page without its markup, JSON as lines. The packet shows
   * it verbatim, cut where there is too little space. Unless given, it is the raw text without terminal escapes and
   * wrapper noise; null says that there is nothing to show besides the summary and `files`.
   */
  readonly output?: string | null
  /** Lines of the output, from 0, that must stay when it is cut: errors, failures, places. Most important first. */
  readonly highlights?: readonly number[]
  /** File text that this call read, or changed. */
  readonly files?: Readonly<NonNullable<Delta['change_files']>>
  /** Changes of the agent's plan; begin with null to replace it. */
  readonly plan?: Readonly<NonNullable<Delta['update_plan']>>
  /** A few facts by name: counts, ids, states. Not text: that is in the output. */
  readonly knowledge?: Readonly<Record<string, Json>>
  /** Knowledge keys that this output makes obsolete. */
  readonly supersedes?: readonly string[]
  /** Open problems; begin with null to replace those known before. */
  readonly diagnostics?: readonly (string | null)[]
  readonly failedAttempt?: string
  /** The excerpt to work on next; null when there is none any more. */
  readonly focus?: { readonly place: string; readonly text: string } | null
  readonly stateSummary?: string
  /** Values of registered extensions, by name. */
  readonly extensions?: Readonly<Record<string, Json>>
}
