import { z } from 'zod'
import { outcomeSchema, planStatusSchema } from '../event/delta.ts'
import { frozen } from '../event/frozen.ts'
import type { Json } from '../event/json.ts'

const PACKET_VERSION = '2.0'

const json = z.json() as z.ZodType<Json>
const turn = z.int().nonnegative()
const seq = z.int().positive().describe('seq of the event behind it')

const wordsSchema = z.strictObject({ turn, text: z.string(), ref: seq })

const stepSchema = z.strictObject({
  turn,
  said: z.string().describe('what the model said before it'),
  tool: z.string().describe('empty for words without a call'),
  call: z.string().describe('the call as text; empty where the summary tells it'),
  summary: z.string().describe('what was done to what, and how it ended'),
  outcome: outcomeSchema.nullable().describe('null while there is no result'),
  output: z.string().describe('verbatim, ⋮ where something was left out'),
  ref: seq,
})

const fileSchema = z.strictObject({
  path: z.string(),
  ref: seq,
  stale: seq.nullable().describe('an event that changed it since in a way that is not known'),
  known: z.string().describe('the lines of it that are known'),
  regions: z.array(
    z.strictObject({
      from: turn.describe('number of the first line; 0 when it is not known'),
      text: z.string(),
    }),
  ),
})

/**
 * The bounded view that the model gets: the only thing it sees. Made by a view, never edited.
 * Shipped as schema/packet.schema.json.
 * @public
 */
export const packetSchema = z
  .strictObject({
    packet_version: z.literal(PACKET_VERSION),
    agent_id: z.string(),
    turn,
    goal: z.string(),
    operation: z.string(),
    node: z.strictObject({ id: z.string(), type: z.string() }),
    constraints: z.strictObject({ max_turns: turn.nullable(), safety: z.array(z.string()) }),
    person: z.array(wordsSchema).describe('what people said after the goal, oldest first'),
    told: z.array(wordsSchema).describe('what the model told people before they spoke, oldest first'),
    node_summary: z.string(),
    state_summary: z.string(),
    plan: z.array(z.strictObject({ text: z.string(), status: planStatusSchema, ref: seq })),
    changed: z
      .array(
        z.strictObject({
          path: z.string(),
          what: z.string().describe('lines added and removed, the functions or keys in which'),
          said: z.array(z.string()).describe('how the model announced the changes, the newest last'),
          ref: seq,
        }),
      )
      .describe('the files that this run wrote, edited or deleted, the last one last'),
    conclusions: z
      .array(z.strictObject({ text: z.string(), ref: seq }))
      .describe('what the model found out or decided, in its own words'),
    knowledge: z.record(
      z.string(),
      z.strictObject({
        value: json,
        source_turn: turn,
        stale: seq.nullable().describe('the last change of a file, where a tool said it before that'),
      }),
    ),
    hub_context: z.record(z.string(), json),
    hub_freshness: z.string().nullable(),
    extensions: z.record(z.string(), json),
    files: z.array(fileSchema).describe('the present text of the files at work, edits applied'),
    focus: z
      .strictObject({ ref: seq, place: z.string(), text: z.string() })
      .nullable()
      .describe('the excerpt being worked on'),
    recent_actions: z
      .array(stepSchema)
      .describe('the steps, oldest first: older ones in a line, the newest in full'),
    diagnostics: z.array(z.string()),
    failed_attempts: z.array(z.string()),
    last_error: z.string().nullable(),
    error_count: turn,
    candidate_actions: z.array(
      z.strictObject({ tool: z.string(), args: z.record(z.string(), json), reason: z.string() }),
    ),
    omitted: z
      .array(z.string())
      .describe('what was left out, with refs, and arguments that all calls of a tool have'),
  })
  .meta({ title: 'Twotrack decision packet' })
export type Packet = z.infer<typeof packetSchema>
export type PacketStep = z.infer<typeof stepSchema>

/** Says nothing yet. Every packet begins as it. */
export const EMPTY_PACKET: Packet = frozen({
  packet_version: PACKET_VERSION,
  agent_id: '',
  turn: 0,
  goal: '',
  operation: '',
  node: { id: '-', type: 'task' },
  constraints: { max_turns: null, safety: [] },
  person: [],
  told: [],
  node_summary: '',
  state_summary: '',
  plan: [],
  changed: [],
  conclusions: [],
  knowledge: {},
  hub_context: {},
  hub_freshness: null,
  extensions: {},
  files: [],
  focus: null,
  recent_actions: [],
  diagnostics: [],
  failed_attempts: [],
  last_error: null,
  error_count: 0,
  candidate_actions: [],
  omitted: [],
})
