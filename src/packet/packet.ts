import { z } from 'zod'
import { outcomeSchema } from '../event/delta.ts'
import type { Json } from '../event/json.ts'

export const PACKET_VERSION = '1.0'

const json = z.json() as z.ZodType<Json>
const seq = z.int().positive().describe('seq of the event behind it')

const actionSchema = z.strictObject({
  turn: z.int().nonnegative(),
  tool: z.string(),
  summary: z.string().describe('one or two sentences, outcome before process'),
  outcome: outcomeSchema,
  ref: seq,
})
export type Action = z.infer<typeof actionSchema>

/** The bounded view that the model gets: the only thing it sees. Made by `view`, never edited. */
export const packetSchema = z
  .strictObject({
    packet_version: z.literal(PACKET_VERSION),
    agent_id: z.string(),
    turn: z.int().nonnegative(),
    goal: z.string(),
    operation: z.string(),
    node: z.strictObject({ id: z.string(), type: z.string() }),
    node_summary: z.string(),
    state_summary: z.string(),
    recent_actions: z.array(actionSchema).describe('oldest first, rolling window'),
    knowledge: z.record(z.string(), z.strictObject({ value: json, source_turn: z.int().nonnegative() })),
    focus: z
      .strictObject({ ref: seq, place: z.string(), text: z.string() })
      .nullable()
      .describe('the excerpt being worked on'),
    diagnostics: z.array(z.string()),
    failed_attempts: z.array(z.string()),
    last_error: z.string().nullable(),
    error_count: z.int().nonnegative(),
    candidate_actions: z.array(
      z.strictObject({ tool: z.string(), args: z.record(z.string(), json), reason: z.string() }),
    ),
    constraints: z.strictObject({
      max_turns: z.int().nonnegative().nullable(),
      safety: z.array(z.string()),
    }),
    hub_context: z.record(z.string(), json).nullable(),
    hub_freshness: z.string().nullable(),
    extensions: z.record(z.string(), json),
    omitted: z.array(z.string()).describe('what the bound left out, with refs'),
  })
  .meta({ title: 'Twotrack decision packet' })
export type Packet = z.infer<typeof packetSchema>

/** JSON Schema of the packet, with a property for each registered extension. */
export function packetJsonSchema(extensions: Record<string, { schema: Json }> = {}): Json {
  const schema = z.toJSONSchema(packetSchema) as { properties: Record<string, Json> }
  const names = Object.keys(extensions)
  if (names.length === 0) return schema
  return {
    ...schema,
    properties: {
      ...schema.properties,
      extensions: {
        type: 'object',
        properties: Object.fromEntries(names.map((name) => [name, extensions[name]?.schema ?? true])),
        additionalProperties: false,
      },
    },
  }
}
