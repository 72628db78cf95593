import { z } from 'zod'
import { ID_CHARS_MAX } from '../../limits.ts'
import { deltaSchema, outcomeSchema } from './delta.ts'
import { acceptedFileSchema, proposedFileSchema } from './file-content.ts'
import type { Json } from './json.ts'
import { json, jsonObject } from './json-field.ts'
import { runLogSchemas } from './run-log.ts'

/** The version written today, and the first. */
export const EVENT_VERSION = 1
/** `prev` of a log's first event. */
export const GENESIS = '0'.repeat(64)

const id = z.string().min(1).max(ID_CHARS_MAX)
const count = z.int().nonnegative()
const digest = z.string().regex(/^[0-9a-f]{64}$/)

/** First and last `seq` of events that follow each other. */
const stretch = z.tuple([z.int().positive(), z.int().positive()])

export const toolDeclarationSchema = z.strictObject({
  name: z.string().min(1),
  description: z.string(),
  parameters: jsonObject,
})
export type ToolDeclaration = z.infer<typeof toolDeclarationSchema>

/** Whatever shapes the fold and the prompt; part of `run_start`, so that a log explains its own packets. */
const settingsSchema = z.strictObject({
  packet_size_limit: count,
  prompt_budget: count,
  tokenizer: z.string(),
  /** What the model's own prompt format adds around text and declarations. */
  frame_tokens: count,
  rendering: z.enum(['json', 'outline']),
  /** The view that makes packets of this log (view/views.ts). */
  view: z.string(),
  caps: z.record(z.string(), count),
  /** Registered extensions: JSON Schema of the value and its share of the packet's tokens, 0 to 1. */
  extensions: z.record(
    z.string(),
    z.strictObject({ schema: jsonObject, share: z.number().positive().max(1) }),
  ),
})
export type Settings = z.infer<typeof settingsSchema>

export const callSchema = z.strictObject({ call_id: z.string(), tool: z.string(), args: json })
export type Call = z.infer<typeof callSchema>

/**
 * `recorded`: each request's body as it goes out. `handed_over`: the prompt as it was given to whoever sends it, which may
 * change it. `unseen`: somebody else's harness sends what it likes.
 */
const wireSchema = z.enum(['recorded', 'handed_over', 'unseen'])
export type Wire = z.infer<typeof wireSchema>

const stopReasons = [
  'submitted',
  'turn_limit',
  'token_limit',
  'loop',
  'model_failed',
  'crashed',
  'cancelled',
  'escalated',
  'imported',
] as const

/**
 * What each type of event holds: enough to fold every packet and to go on with a run. Bytes that only people read are
 * in the raw part (`rawSchemas`), which can be pruned or redacted while every packet still replays.
 */
export const dataSchemas = {
  run_start: z.strictObject({
    goal: z.string(),
    instructions: z.string(),
    node: z.strictObject({ id: z.string(), type: z.string() }),
    node_summary: z.string(),
    constraints: z.strictObject({ max_turns: count.nullable(), safety: z.array(z.string()) }),
    tools: z.array(toolDeclarationSchema),
    settings: settingsSchema,
    /** Whether secrets were replaced by placeholders before anything was recorded; absent in older logs: they were not. */
    secrets: z.enum(['replaced', 'off']).optional(),
    /** What of the requests to the model is in the log; absent in older logs. */
    wire: wireSchema.optional(),
    origin: jsonObject.optional(),
  }),
  turn_start: z.strictObject({}),
  /** What a person said to the agent after the goal. */
  person_message: z.strictObject({
    text: z.string(),
    /** Where it was taken from the log of the run: the `said` with this seq. */
    said: z.int().positive().optional(),
  }),
  hub_update: z.strictObject({ nodes: z.array(z.string()), source: z.string(), note: z.string().optional() }),
  model_request: z.strictObject({
    model: z.string(),
    /** Whether it is the agent's own turn, or a larger model that is asked for advice. */
    purpose: z.enum(['turn', 'escalation']),
    context: z.enum(['packet', 'messages', 'both']),
    /** How the prompt was made of the packet and the tools (model/formats.ts). */
    format: z.string(),
    packet_sha256: digest,
    /** Of what was given: where there are `parameters`, of the whole body that went out, which is these and what the format serves. */
    prompt_sha256: digest,
    /** What the body has beside messages and tools, or the prompt; absent where this program sent none. */
    parameters: jsonObject.optional(),
    /** What of the transcript was left out, where one was given: the oldest turns, the goal, the middle of longer messages. */
    transcript: z
      .strictObject({
        left_out: count,
        without_goal: z.literal(true).optional(),
        chars_max: count.optional(),
      })
      .optional(),
    prompt_tokens: count,
    tools_sha256: digest,
  }),
  model_response: z.strictObject({
    model: z.string(),
    /** The model's words, within a cap; the completion has them whole. */
    text: z.string(),
    /** Absent when they are too large: then the raw part has them. */
    calls: z.array(callSchema).optional(),
    usage: z.strictObject({ prompt_tokens: count, completion_tokens: count }).optional(),
    latency_ms: z.number().nonnegative().optional(),
    finish: z.string().optional(),
  }),
  tool_call: z.strictObject({
    call_id: z.string(),
    tool: z.string(),
    /** Long texts in them are cut when they are too large; then the raw part has them whole. */
    args: json,
    /** Of the whole arguments, where they were cut. */
    args_sha256: digest.optional(),
    effect: z.enum(['pure', 'idempotent', 'effect']),
  }),
  tool_result: z.strictObject({
    call_id: z.string(),
    tool: z.string(),
    outcome: outcomeSchema,
    error: z.string().optional(),
    /** Which summarizer made the delta, or `tool` when the tool gave its own. */
    summarizer: z.string(),
    /** Absent where it states none, and in logs of before it was recorded. */
    summarizer_version: z.string().optional(),
    /** Digest and size of the raw output, so that equal results are known as such after pruning. */
    output_sha256: digest,
    output_bytes: count,
    duration_ms: z.number().nonnegative().optional(),
    /** What the agent's policy made of the call, where it had to decide; only an approved one ran. */
    policy: z.enum(['refused', 'approved', 'denied']).optional(),
  }),
  submit_result: z.strictObject({
    result: json.optional(),
    summary: z.string(),
    /** Whose words these are: the agent's rules proposed exactly this, or it is a model's claim. */
    by: z.enum(['definition', 'model']).optional(),
  }),
  agent_error: z.strictObject({
    where: z.string(),
    message: z.string(),
    code: z.string().optional(),
    attempt: count.optional(),
    retry: z.boolean().optional(),
  }),
  /** Handed to a larger model or a person (no answer yet), or their answer. */
  escalation: z.strictObject({
    reason: z.string(),
    model: z.string().optional(),
    answer: z.string().optional(),
  }),
  /** A person changes the packet. */
  correction: z.strictObject({ by: z.string(), note: z.string() }),
  /** The agent's definition speaks: its rules, its context providers, middleware. */
  candidates: z.strictObject({ by: z.string(), note: z.string() }),
  /** All that the agent proposes to change, in place of what it proposed before. */
  proposal: z.strictObject({ files: z.array(proposedFileSchema) }),
  /** What a person took, and what was written. */
  accepted: z.strictObject({ by: z.string(), files: z.array(acceptedFileSchema) }),
  /** Proposed no longer. */
  rejected: z.strictObject({ by: z.string(), reason: z.string(), files: z.array(z.string()) }),
  run_end: z.strictObject({
    reason: z.enum(stopReasons),
    summary: z.string(),
    /** What was handed in does not hold: one of the definition's `fails_when` does. */
    failed: z.literal(true).optional(),
    /** Problems that were left then, as the agent's check counts them; absent where there were none. */
    problems: count.optional(),
  }),
  /**
   * What was taken out of earlier events on purpose, recorded in the same step. The headers of these stay as they were; a
   * part that is gone or changed without this is damage.
   */
  redacted: z.strictObject({
    /** Who: a person, or the name of a command. */
    by: z.string().min(1),
    reason: z.string(),
    /** What was looked for, in words that do not repeat it. */
    pattern: z.string(),
    /** First and last `seq` of each stretch of events that lost their raw part. */
    raw: z.array(stretch),
    /** Events of which texts were taken out, and the digests of the parts that stay of them. */
    marked: z.array(
      z.strictObject({ seq: z.int().positive(), payload: digest.optional(), raw: digest.optional() }),
    ),
  }),
  ...runLogSchemas,
} as const

/** Where the bytes of a large raw field are: `text` is UTF-8, `json` is canonical JSON, `bytes` is neither. */
const blobRefSchema = z.strictObject({
  sha256: digest,
  bytes: count,
  media: z.enum(['text', 'json', 'bytes']),
})
export type BlobRef = z.infer<typeof blobRefSchema>

/** Raw fields by type; each may instead be a blob, and then stands under `blobs`. */
export const rawSchemas = {
  model_request: { prompt: z.string() },
  model_response: { completion: z.string(), text: z.string(), calls: z.array(callSchema) },
  tool_call: { args: json },
  /** `log` is what the tool said while it ran, for people. */
  tool_result: { raw_output: z.string(), parsed_output: json, log: z.string() },
  submit_result: { result: json },
  agent_error: { completion: z.string(), stack: z.string() },
  escalation: { bundle: json, completion: z.string() },
  run_plan: { agents: json },
  run_done: { skipped: json },
} as const satisfies Partial<Record<keyof typeof dataSchemas, Record<string, z.ZodType>>>

/** Events with contents of files: these are blobs, each under its own digest. */
export const contentTypes: ReadonlySet<string> = new Set(['proposal', 'accepted'])

/** The part of an event that may be pruned: fields of `rawSchemas`, inline or as blobs. */
export const rawSchema = z
  .strictObject({ blobs: z.record(z.string(), blobRefSchema).optional() })
  .catchall(json)
export type Raw = NonNullable<Event['raw']>

export type EventType = keyof typeof dataSchemas
export const eventTypes = Object.keys(dataSchemas) as EventType[]
export type DataOf<T extends EventType> = z.infer<(typeof dataSchemas)[T]>

/** The hash-chained part of an event. Its exact bytes are what `hash` is the digest of. */
export const headerSchema = z.strictObject({
  v: z.int().positive(),
  id,
  run_id: id,
  agent_id: id,
  operation: id,
  node_id: id,
  seq: z.int().positive(),
  turn: count,
  timestamp: z.iso.datetime(),
  type: z.enum(eventTypes),
  prev: digest,
  /** Sha256 of the payload as it was written, with the nonce in it: without that nobody finds it by trying. */
  payload_commitment: digest,
  /** The same of the raw part; null when the event has none. */
  raw_commitment: digest.nullable(),
})
export type Header = z.infer<typeof headerSchema>

/** The part that replays: it is kept as long as the log is. */
export const payloadSchema = z.strictObject({ data: jsonObject, delta: deltaSchema.optional() })

/** An event of one type. */
export type EventFor<Type extends keyof typeof dataSchemas> = {
  [T in Type]: Omit<z.infer<typeof headerSchema>, 'type' | 'payload_commitment' | 'raw_commitment'> & {
    readonly type: T
    readonly data: z.infer<(typeof dataSchemas)[T]>
    readonly delta?: z.infer<typeof deltaSchema>
    /** Absent when there never was one, null once it was pruned. */
    readonly raw?:
      | ({ readonly [field: string]: Json | undefined } & {
          readonly blobs?: { readonly [field: string]: BlobRef }
        })
      | null
    /** Texts of it were taken out on purpose: marks stand in their place, in what is named here. */
    readonly redacted?: readonly ('payload' | 'raw')[]
    readonly hash: string
  }
}[Type]

/** One immutable recorded fact. */
export type Event = EventFor<keyof typeof dataSchemas>

/** What is given to `record`: memory adds ids, seq, turn, time and the chain. */
export type Draft = {
  [T in keyof typeof dataSchemas]: {
    type: T
    data: z.infer<(typeof dataSchemas)[T]>
    delta?: z.infer<typeof deltaSchema>
    raw?: NonNullable<EventFor<T>['raw']>
    turn?: number
  }
}[keyof typeof dataSchemas]
