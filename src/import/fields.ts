import { isObject, type Json, type JsonObject, tryParse } from '../core/event/json.ts'

/** Fields of foreign JSON, each read as what it should be or not at all. */
export const textAt = (value: unknown, name: string): string | undefined => {
  const found = isObject(value) ? value[name] : undefined
  return typeof found === 'string' ? found : undefined
}

export const countAt = (value: unknown, name: string): number | undefined => {
  const found = isObject(value) ? value[name] : undefined
  return typeof found === 'number' && Number.isInteger(found) && found >= 0 ? found : undefined
}

export const objectIn = (value: unknown): JsonObject => (isObject(value) ? (value as JsonObject) : {}) // it was parsed from JSON

export const objectAt = (value: unknown, name: string): JsonObject => objectIn(objectIn(value)[name])

export const listAt = (value: unknown, name: string): readonly Json[] => {
  const found = isObject(value) ? value[name] : undefined
  return Array.isArray(found) ? found : []
}

/** Arguments that are written as text are read; text that is no JSON stays text. */
export const argumentsIn = (given: unknown): Json =>
  (typeof given === 'string' ? (tryParse(given) ?? given) : (given ?? {})) as Json // both are JSON's

/** Time as a number of seconds or milliseconds, or as text. */
export function timeIn(given: unknown): string | undefined {
  if (typeof given === 'string') return given === '' ? undefined : given
  if (typeof given !== 'number' || !Number.isFinite(given) || given <= 0) return undefined
  return new Date(given < 1e11 ? given * 1_000 : given).toISOString()
}

/** The text of a message that is text, or a list of parts with text. */
export function messageText(content: unknown): string {
  if (typeof content === 'string') return content
  const parts = Array.isArray(content) ? content : [content]
  return parts.flatMap((part) => textAt(part, 'text') ?? (typeof part === 'string' ? [part] : [])).join('\n')
}

/** What an answer took; nothing where one of both is not told. */
export function usageIn(prompt_tokens: number | undefined, completion_tokens: number | undefined) {
  if (prompt_tokens === undefined || completion_tokens === undefined) return {}
  return { usage: { prompt_tokens, completion_tokens } }
}
