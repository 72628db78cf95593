import type { z } from 'zod'
import { TwotrackError } from '../../errors.ts'
import { LINE_BYTES_MAX } from '../../limits.ts'
import { find, startsWith, utf8Length } from './bytes.ts'
import {
  contentTypes,
  type Draft,
  dataSchemas,
  EVENT_VERSION,
  type Event,
  eventTypes,
  type Header,
  headerSchema,
  payloadSchema,
  rawSchema,
  rawSchemas,
} from './event.ts'
import { parseHeader } from './header.ts'
import { canonical, type Json, type JsonObject, tryParse, withinDepth } from './json.ts'
import { upgrade } from './upgrade.ts'

/**
 * One event as one line:
 *
 *     {"header":{…},"hash":"<sha256 of the header's bytes>","payload":{…},"raw":{…}}\n
 *
 * The header holds `prev` and the digests of payload and raw part, so the chain covers everything. The payload (data
 * and delta) is what packets fold from. The raw part (tool output, prompts, completions) can later be replaced by
 * `null` (pruned): the chain still verifies and every packet still replays. Reading checks the exact bytes, not a
 * parsed copy: no bit of a line can change unnoticed.
 */
export type Digest = (bytes: string | Uint8Array) => string

/** An event together with the exact line that holds it (without the line feed). */
export interface Sealed {
  readonly event: Event
  readonly line: string
}

export interface Identity {
  readonly id: string
  readonly run_id: string
  readonly agent_id: string
  readonly operation: string
  readonly node_id: string
  readonly seq: number
  readonly turn: number
  readonly timestamp: string
  readonly prev: string
}

const OPEN = '{"header":'
const HASH = ',"hash":"'
const PAYLOAD = '","payload":'
const RAW = ',"raw":'
const HASH_CHARS = 64
const MISPLACED = 'header, hash, payload and raw part are not where they belong'

/** Validates a draft and gives it its place in the chain. Pure: the same input gives the same bytes. */
export function seal(draft: Draft, identity: Identity, sha256: Digest): Sealed {
  const payloadText = canonical(
    checkPayload(draft.type, withoutUndefined({ data: draft.data, delta: draft.delta })),
  )
  const rawText =
    draft.raw === undefined ? 'null' : canonical(checkRaw(draft.type, withoutUndefined(draft.raw)))
  const header = headerSchema.safeParse({
    v: EVENT_VERSION,
    id: identity.id,
    run_id: identity.run_id,
    agent_id: identity.agent_id,
    operation: identity.operation,
    node_id: identity.node_id,
    seq: identity.seq,
    turn: identity.turn,
    timestamp: identity.timestamp,
    type: draft.type,
    prev: identity.prev,
    payload_sha256: sha256(payloadText),
    payload_bytes: utf8Length(payloadText),
    raw_sha256: draft.raw === undefined ? null : sha256(rawText),
    raw_bytes: draft.raw === undefined ? 0 : utf8Length(rawText),
  })
  if (!header.success) throw invalid(draft.type, header.error.issues)
  // The schema lists the keys in the order they are written; zod keeps that order.
  const headerText = JSON.stringify(header.data)
  const hash = sha256(headerText)
  const line = `${OPEN}${headerText}${HASH}${hash}${PAYLOAD}${payloadText}${RAW}${rawText}}`
  if (utf8Length(line) > LINE_BYTES_MAX) {
    throw new TwotrackError(
      'limit',
      `A ${draft.type} event of ${line.length} characters is over the limit of ${LINE_BYTES_MAX} bytes a line.`,
    )
  }
  // From the text, not from the draft: the same key order, and no part that the caller may still change.
  return { event: assemble(header.data, hash, JSON.parse(payloadText), JSON.parse(rawText)), line }
}

/** What a line says once its bytes are known to be intact. */
export interface Opened {
  readonly header: Header
  readonly hash: string
  readonly payload: Json
  /** Null when the event has none, or when it was pruned (`isPruned`); undefined where it was not asked for. */
  readonly raw: Json | undefined
}

export const isPruned = ({ header, raw }: Opened): boolean => header.raw_sha256 !== null && raw === null

/**
 * Checks a line's bytes (without the line feed) against its own digests. Throws `damaged` with the reason. Who does not
 * need the raw part (`raw: false`) gets the rest; it is checked all the same.
 */
export function open(bytes: Uint8Array, sha256: Digest, { raw = true } = {}): Opened {
  const { header, hash, payloadFrom } = openHeader(bytes, sha256)
  const payloadTo = payloadFrom + header.payload_bytes
  const payloadBytes = bytes.subarray(payloadFrom, payloadTo)
  if (!startsWith(bytes, payloadTo, RAW) || sha256(payloadBytes) !== header.payload_sha256) {
    throw damaged('its payload does not match the digest in its header')
  }
  const payload = tryParse(utf8(payloadBytes))
  if (payload === undefined) throw damaged('its payload is not JSON')
  return {
    header,
    hash,
    payload: payload as Json,
    raw: openRaw(bytes, payloadTo + RAW.length, header, sha256, raw),
  }
}

/** The header at the beginning of a line, checked against its own hash. Throws `damaged`. */
export function openHeader(
  bytes: Uint8Array,
  sha256: Digest,
): { header: Header; hash: string; payloadFrom: number } {
  const { headerBytes, hash, payloadFrom } = partsOf(bytes)
  if (sha256(headerBytes) !== hash) throw damaged('its header does not match its hash')
  return { header: parseHeader(utf8(headerBytes)), hash, payloadFrom }
}

function openRaw(
  bytes: Uint8Array,
  from: number,
  header: Header,
  sha256: Digest,
  wanted: boolean,
): Json | undefined {
  if (bytes.at(-1) !== 0x7d) throw damaged(MISPLACED)
  const rawBytes = bytes.subarray(from, bytes.length - 1)
  if (rawBytes.length === 4 && utf8(rawBytes) === 'null') return null
  if (rawBytes.length !== header.raw_bytes || sha256(rawBytes) !== header.raw_sha256) {
    throw damaged('its raw part does not match the digest in its header')
  }
  if (!wanted) return undefined
  const raw = tryParse(utf8(rawBytes))
  if (raw === undefined) throw damaged('its raw part is not JSON')
  return raw as Json
}

/**
 * An event with another payload or raw part, in its place in a chain that changes with it. What was pruned before stays
 * pruned. Throws `bad_event` if they are not of the event's type.
 */
export function reseal(opened: Opened, payload: Json, raw: Json, prev: string, sha256: Digest): Sealed {
  const { header } = opened
  const payloadText = canonical(checkPayload(header.type, payload))
  const rawText = raw === null ? 'null' : canonical(checkRaw(header.type, raw))
  const next: Header = {
    ...header,
    prev,
    payload_sha256: sha256(payloadText),
    payload_bytes: utf8Length(payloadText),
    ...(raw === null ? {} : { raw_sha256: sha256(rawText), raw_bytes: utf8Length(rawText) }),
  }
  const headerText = JSON.stringify(next)
  const line = `${OPEN}${headerText}${HASH}${sha256(headerText)}${PAYLOAD}${payloadText}${RAW}${rawText}}`
  return { event: toEvent(open(new TextEncoder().encode(line), sha256)), line }
}

/** The line without its raw part; chain and packets stay as they are. */
export function prune(bytes: Uint8Array, sha256: Digest): Uint8Array {
  const { header } = open(bytes, sha256)
  const { payloadFrom } = partsOf(bytes)
  const kept = bytes.subarray(0, payloadFrom + header.payload_bytes)
  const end = new TextEncoder().encode(`${RAW}null}`)
  const pruned = new Uint8Array(kept.length + end.length)
  pruned.set(kept)
  pruned.set(end, kept.length)
  return pruned
}

function partsOf(bytes: Uint8Array): { headerBytes: Uint8Array; hash: string; payloadFrom: number } {
  const headerFrom = OPEN.length
  if (!startsWith(bytes, 0, OPEN)) throw damaged('it does not begin like an event')
  const headerTo = find(bytes, `}${HASH}`, headerFrom) + 1
  if (headerTo === 0) throw damaged('its header has no end')
  const hashFrom = headerTo + HASH.length
  const payloadFrom = hashFrom + HASH_CHARS + PAYLOAD.length
  if (!startsWith(bytes, hashFrom + HASH_CHARS, PAYLOAD)) {
    throw damaged(MISPLACED)
  }
  const headerBytes = bytes.subarray(headerFrom, headerTo)
  return { headerBytes, hash: utf8(bytes.subarray(hashFrom, hashFrom + HASH_CHARS)), payloadFrom }
}

/** The event of an intact line, upgraded to the current version. */
export function toEvent({ header, hash, payload, raw }: Opened): Event {
  const current = checkPayload(header.type, upgrade(header.v, header.type, payload))
  return assemble(header, hash, current, raw === null || raw === undefined ? raw : checkRaw(header.type, raw))
}

interface Payload {
  data: JsonObject
  delta?: Event['delta']
}

function checkPayload(type: Event['type'], value: unknown): JsonObject & Payload {
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
  return value as JsonObject & Payload
}

function checkRaw(type: Event['type'], value: unknown): JsonObject {
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

/** Header, payload and raw part were checked against the schemas of `type`; this is where that becomes a type. */
function assemble(
  header: Header,
  hash: string,
  payload: JsonObject & Payload,
  raw: JsonObject | null | undefined,
): Event {
  const { payload_sha256: _p, payload_bytes: _b, raw_sha256, raw_bytes: _r, ...rest } = header
  const part = raw_sha256 === null || raw === undefined ? {} : { raw }
  return { ...rest, ...payload, ...part, hash } as unknown as Event
}

function withoutUndefined(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined))
}

function invalid(what: string, issues: readonly { path: PropertyKey[]; message: string }[]): TwotrackError {
  const first = issues[0]
  const at = first?.path.map(String).join('.') || 'the top'
  return new TwotrackError('bad_event', `A ${what} event can't be recorded: at ${at}: ${first?.message}.`)
}

const damaged = (reason: string) => new TwotrackError('damaged', reason)
const decoder = new TextDecoder()
const utf8 = (bytes: Uint8Array) => decoder.decode(bytes)
