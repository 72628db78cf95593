import { isObject, type Json } from '../../event/json.ts'

/** What is to go from a text: gives the text as it stays. */
export interface Redact {
  (text: string): string
  /** The same for a value, where names of its fields tell what is to go. */
  readonly within?: (value: Json) => Json
}

const MARK = '[redacted]'
/** A shorter text is part of too many others. */
export const PATTERN_CHARS_MIN = 4
const DIGEST = /^[0-9a-f]{64}$/

/** A text, in the forms that JSON, addresses and JSON within JSON hold it in. */
export function redactText(pattern: string): Redact {
  const inJson = JSON.stringify(pattern).slice(1, -1)
  const forms = [pattern, inJson, JSON.stringify(inJson).slice(1, -1), encodeURIComponent(pattern)]
  const longestFirst = [...new Set(forms)].sort((a, b) => b.length - a.length)
  return (text) => longestFirst.reduce((left, form) => left.replaceAll(form, MARK), text)
}

export const redactMatches =
  (pattern: RegExp): Redact =>
  (text) =>
    text.replace(pattern, (found) => (found === '' ? '' : MARK))

/** Every text in a value, names of fields included; digests say nothing to a reader and hold the log together. */
export function redactIn(value: Json, redact: Redact): Json {
  if (redact.within) return redact.within(value)
  if (typeof value === 'string') return DIGEST.test(value) ? value : redact(value)
  if (Array.isArray(value)) return value.map((item) => redactIn(item, redact))
  if (!isObject(value)) return value
  const fields = Object.entries(value as Record<string, Json>)
  return Object.fromEntries(fields.map(([key, field]) => [redact(key), redactIn(field, redact)]))
}

/** Bytes that may be no text: one character a byte, so that what stays is as it was. */
export function redactBytes(bytes: Uint8Array, redact: Redact): Uint8Array {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const text = buffer.toString('utf8')
  const isText = Buffer.from(text).equals(buffer)
  const before = isText ? text : buffer.toString('latin1')
  const after = redact(before)
  return after === before ? bytes : Buffer.from(after, isText ? 'utf8' : 'latin1')
}
