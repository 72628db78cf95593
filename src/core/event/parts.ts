import type { z } from 'zod'
import { TwotrackError } from '../../errors.ts'
import {
  contentTypes,
  dataSchemas,
  type Event,
  eventTypes,
  payloadSchema,
  rawSchema,
  rawSchemas,
} from './event.ts'
import { type JsonObject, withinDepth } from './json.ts'

/** A payload that an event of this type may have. Throws `bad_event` and `limit`. */
export function checkPayload(type: Event['type'], value: unknown): JsonObject {
  if (!Object.hasOwn(dataSchemas, type)) {
    throw new TwotrackError(
      'bad_event',
      `There is no event type ${JSON.stringify(type)}; use one of ${eventTypes.join(', ')}.`,
    )
  }
  if (!withinDepth(value)) {
    throw new TwotrackError(
      'limit',
      `A ${type} event nests deeper than JSON that can be recorded; pass it as text.`,
    )
  }
  const payload = payloadSchema.safeParse(value)
  if (!payload.success) throw invalid(type, payload.error.issues)
  const data = dataSchemas[type].safeParse(payload.data.data)
  if (!data.success) throw invalid(type, data.error.issues)
  // What was checked, not zod's copy of it, which leaves out keys named __proto__.
  return value as JsonObject
}

/** The same of a raw part. */
export function checkRaw(type: Event['type'], value: unknown): JsonObject {
  if (!withinDepth(value)) {
    throw new TwotrackError(
      'limit',
      `The raw part of a ${type} event nests deeper than JSON that can be recorded.`,
    )
  }
  const raw = rawSchema.safeParse(value)
  if (!raw.success) throw invalid(type, raw.error.issues)
  const known: Readonly<Record<string, z.ZodType>> =
    type in rawSchemas ? rawSchemas[type as keyof typeof rawSchemas] : {}
  const { blobs = {}, ...fields } = raw.data
  for (const [field, content] of Object.entries({ ...fields, ...blobs })) {
    if (contentTypes.has(type) && blobs[field]?.sha256 === field) continue
    const schema = Object.hasOwn(known, field) ? known[field] : undefined
    const fits = schema && (Object.hasOwn(blobs, field) || schema.safeParse(content).success)
    if (!fits) throw new TwotrackError('bad_event', `A ${type} event has no such raw field: ${field}.`)
  }
  return value as JsonObject
}

export function invalid(
  what: string,
  issues: readonly { path: PropertyKey[]; message: string }[],
): TwotrackError {
  const first = issues[0]
  const at = first?.path.map(String).join('.') || 'the top'
  return new TwotrackError('bad_event', `A ${what} event can't be recorded: at ${at}: ${first?.message}.`)
}
