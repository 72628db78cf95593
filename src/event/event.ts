import { z } from 'zod'
import { ID_CHARS_MAX } from '../limits.ts'
import { deltaSchema, outcomeSchema } from './delta.ts'
import { json, jsonObject } from './json-field.ts'

/** The version written today. Older ones are upgraded when read (upgrade.ts). */
export const EVENT_VERSION = 1
/** `prev` of a log's first event. */
export const GENESIS = '0'.repeat(64)

const id = z.string().min(1).max(ID_CHARS_MAX)
const count = z.int().nonnegative()
const digest = z.string().regex(/^[0-9a-f]{64}$/)

export const toolDeclarationSchema = z.strictObject({
  name: z.string().min(1),
  description: z.string(),
  parameters: jsonObject,
})
export type ToolDeclaration = z.infer<typeof toolDeclarationSchema>

/** Whatever shapes the fold and the prompt; part of `run_start`, so that a log explains its own packets. */
export const settingsSchema = z.strictObject({
  packet_size_limit: count,
  prompt_budget: count,
  tokenizer: z.string(),
  /** What the model's own prompt format adds around text and declarations. */
  frame_tokens: count,
  rendering: z.enum(['json', 'outline']),
  /** Version of the order in which a packet is filled (packet/view.ts). */
  eviction: count,
  caps: z.record(z.string(), count),
  /** Registered extensions: JSON Schema of the value and its share of the packet's tokens, 0 to 1. */
  extensions: z.record(
    z.string(),
    z.strictObject({ schema: jsonObject, share: z.number().positive().max(1) }),
  ),
})
export type Settings = z.infer<typeof settingsSchema>

const callSchema = z.strictObject({ call_id: z.string(), tool: z.string(), args: json })
export type Call = z.infer<typeof callSchema>

export const stopReasons = [
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
export type StopReason = (typeof stopReasons)[number]

/** What each type of event holds. Fields marked "may spill" are stored as blobs when they are large. */
export const dataSchemas = {
  run_start: z.strictObject({
    goal: z.string(),
    instructions: z.string(),
    node: z.strictObject({ id: z.string(), type: z.string() }),
    node_summary: z.string(),
    constraints: z.strictObject({ max_turns: count.nullable(), safety: z.array(z.string()) }),
    tools: z.array(toolDeclarationSchema),
    settings: settingsSchema,
    origin: jsonObject.optional(),
  }),
  turn_start: z.strictObject({}),
  hub_update: z.strictObject({ nodes: z.array(z.string()), source: z.string(), note: z.string().optional() }),
  model_request: z.strictObject({
    model: z.string(),
    context: z.enum(['packet', 'messages', 'both']),
    /** How the prompt was made of the packet and the tools (prompt/prompt.ts). */
    format: z.string(),
    packet_sha256: digest,
    prompt: z.string().optional(), // may spill
    prompt_sha256: digest,
    prompt_tokens: count,
    tools_sha256: digest,
  }),
  model_response: z.strictObject({
    model: z.string(),
    text: z.string().optional(), // may spill
    calls: z.array(callSchema).optional(), // may spill
    usage: z.strictObject({ prompt_tokens: count, completion_tokens: count }).optional(),
    latency_ms: z.number().nonnegative().optional(),
    finish: z.string().optional(),
  }),
  tool_call: z.strictObject({
    call_id: z.string(),
    tool: z.string(),
    args: json.optional(), // may spill
    effect: z.enum(['pure', 'idempotent', 'effect']),
  }),
  tool_result: z.strictObject({
    call_id: z.string(),
    tool: z.string(),
    raw_output: z.string().optional(), // may spill; absent when the tool gave bytes that are not text
    parsed_output: json.optional(), // may spill
    outcome: outcomeSchema,
    error: z.string().optional(),
    /** Which summarizer made the delta, or `tool` when the tool gave its own. */
    summarizer: z.string(),
    duration_ms: z.number().nonnegative().optional(),
  }),
  submit_result: z.strictObject({ result: json.optional(), summary: z.string() }),
  agent_error: z.strictObject({
    where: z.string(),
    message: z.string(),
    code: z.string().optional(),
    attempt: count.optional(),
    retry: z.boolean().optional(),
  }),
  escalation: z.strictObject({
    reason: z.string(),
    bundle: json.optional(), // may spill
    model: z.string().optional(),
    answer: z.string().optional(), // may spill
  }),
  correction: z.strictObject({ by: z.string(), note: z.string() }),
  workspace_accepted: z.strictObject({ files: z.array(z.string()), by: z.string() }),
  workspace_rejected: z.strictObject({ files: z.array(z.string()), by: z.string(), reason: z.string() }),
  run_end: z.strictObject({ reason: z.enum(stopReasons), summary: z.string() }),
} as const

export type EventType = keyof typeof dataSchemas
export const eventTypes = Object.keys(dataSchemas) as EventType[]
export type DataOf<T extends EventType> = z.infer<(typeof dataSchemas)[T]>

/** Where a spilled field's bytes are: `text` is UTF-8, `json` is canonical JSON, `bytes` is neither. */
export const blobRefSchema = z.strictObject({
  sha256: digest,
  bytes: count,
  media: z.enum(['text', 'json', 'bytes']),
})
export type BlobRef = z.infer<typeof blobRefSchema>

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
  payload_sha256: digest,
  payload_bytes: count,
})
export type Header = z.infer<typeof headerSchema>

/** The committed part: it can be redacted later without breaking the chain. */
export const payloadSchema = z.strictObject({
  data: jsonObject,
  delta: deltaSchema.optional(),
  blobs: z.record(z.string(), blobRefSchema).optional(),
})

type EventOf<T extends EventType> = Omit<Header, 'type' | 'payload_sha256' | 'payload_bytes'> & {
  readonly type: T
  readonly data: DataOf<T>
  readonly delta?: z.infer<typeof deltaSchema>
  readonly blobs?: Readonly<Record<string, BlobRef>>
  readonly hash: string
}

/** One immutable recorded fact. */
export type Event = { [T in EventType]: EventOf<T> }[EventType]
/** An event of one type. */
export type EventFor<T extends EventType> = Extract<Event, { type: T }>

/** What is given to `record`: memory adds ids, seq, turn, time and the chain. */
export type Draft = {
  [T in EventType]: { type: T; data: DataOf<T>; delta?: z.infer<typeof deltaSchema>; turn?: number }
}[EventType]
