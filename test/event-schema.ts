import { z } from 'zod'
import { deltaSchema } from '../src/core/event/delta.ts'
import {
  dataSchemas,
  type EventType,
  eventTypes,
  headerSchema,
  payloadSchema,
  rawSchema,
  toolDeclarationSchema,
} from '../src/core/event/event.ts'
import type { Json } from '../src/core/event/json.ts'

/** JSON Schema of an event as `show --json`, `export` and `Store.read` give it, one alternative for each type. */
export function eventJsonSchema(): Json {
  const names = z.registry<{ id?: string; title?: string }>()
  names.add(rawSchema.shape.blobs.unwrap().valueType, { id: 'blob_ref' })
  names.add(deltaSchema, { id: 'delta' })
  names.add(dataSchemas.run_start.shape.settings, { id: 'settings' })
  names.add(toolDeclarationSchema, { id: 'tool_declaration' })
  const { type: _t, payload_commitment: _p, raw_commitment: _r, ...header } = headerSchema.shape
  const ofType = (type: EventType) => {
    const event = z.strictObject({
      ...header,
      type: z.literal(type),
      ...payloadSchema.shape,
      data: dataSchemas[type],
      raw: rawSchema.nullable().optional(),
      redacted: z.array(z.enum(['payload', 'raw'])).optional(),
      hash: headerSchema.shape.prev,
    })
    names.add(event, { id: type })
    return event
  }
  const schema = z.union(eventTypes.map(ofType))
  names.add(schema, { title: 'Twotrack event' })
  return z.toJSONSchema(schema, { metadata: names, unrepresentable: 'any' }) as Json
}
