import { z } from 'zod'
import { isJson, type Json, type JsonObject } from './json.ts'

/**
 * A JSON value in a schema. It is looked at, not copied: a log is read event by event, and copies of every delta
 * would be most of what reading costs.
 */
export const json = z.custom<Json>(isJson, 'not a JSON value')
export const jsonObject = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value) && isJson(value),
  'not a JSON object',
)
