import { TwotrackError } from '../../errors.ts'
import { LINE_BYTES_MAX } from '../../limits.ts'
import { find, startsWith, utf8Length } from './bytes.ts'
import { type Draft, EVENT_VERSION, type Event, type Header, headerSchema } from './event.ts'
import { parseHeader } from './header.ts'
import { canonical, isObject, type Json, type JsonObject, tryParse } from './json.ts'
import { checkPayload, checkRaw, invalid } from './parts.ts'

/**
 * One event as one line:
 *
 *     {"header":{…},"hash":"<sha256 of the header's bytes>","payload_bytes":123,"payload":{…},"raw":{…}}\n
 *
 * The header holds `prev` and a commitment to each of the other two parts: the sha256 of its bytes, which hold a random
 * nonce. So the chain covers everything. The payload (data and delta) is what packets fold from; the raw part (tool output,
 * prompts, completions) is for people. What is taken out of a part later goes together with its nonce, so that the
 * commitment, which stays, helps nobody who guesses; the header and the chain stay as they were. A raw part that is gone
 * is `null` (pruned). One with marks in it has its own digest, in `"redacted":{"payload":"…","raw":"…"}` after the hash, and
 * an event of type `redacted` repeats that digest. Reading checks the exact bytes, not a parsed copy: no bit of a line
 * can change unnoticed.
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
  /** 128 random bits each, in hex: the same draft with the same nonces gives the same bytes. */
  readonly nonces: { readonly payload: string; readonly raw: string }
}

const OPEN = '{"header":'
const HASH = ',"hash":"'
const REDACTED = ',"redacted":'
const SIZE = ',"payload_bytes":'
const PAYLOAD = ',"payload":'
const RAW = ',"raw":'
const HASH_CHARS = 64
const MISPLACED = 'header, hash, payload and raw part are not where they belong'

/** Validates a draft and gives it its place in the chain. Pure: the same input gives the same bytes. */
export function seal(draft: Draft, identity: Identity, sha256: Digest): Sealed {
  const { nonces } = identity
  const payload = checkPayload(draft.type, withoutUndefined({ data: draft.data, delta: draft.delta }))
  const payloadText = canonical({ ...payload, nonce: nonces.payload })
  const rawText =
    draft.raw === undefined
      ? 'null'
      : canonical({ ...checkRaw(draft.type, withoutUndefined(draft.raw)), nonce: nonces.raw })
  // The schema lists the keys in the order they are written; zod keeps that order.
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
    payload_commitment: sha256(payloadText),
    raw_commitment: draft.raw === undefined ? null : sha256(rawText),
  })
  if (!header.success) throw invalid(draft.type, header.error.issues)
  const headerText = JSON.stringify(header.data)
  const hash = sha256(headerText)
  const line = joined({ headerText, hash, redacted: {}, payloadText, rawText })
  if (utf8Length(line) > LINE_BYTES_MAX) {
    throw new TwotrackError(
      'limit',
      `A ${draft.type} event of ${line.length} characters is over the limit of ${LINE_BYTES_MAX} bytes a line.`,
    )
  }
  // From the text, not from the draft: the same key order, and no part that the caller may still change.
  return {
    event: assemble(
      header.data,
      hash,
      {},
      withoutNonce(JSON.parse(payloadText)),
      withoutNonce(JSON.parse(rawText)),
    ),
    line,
  }
}

/** Digests of the parts that have marks in them. */
export interface Redacted {
  readonly payload?: string | undefined
  readonly raw?: string | undefined
}

/** What a line says once its bytes are known to be intact. */
export interface Opened {
  readonly header: Header
  readonly hash: string
  readonly redacted: Redacted
  readonly payload: Json
  /** Null when the event has none, or when it was pruned (`isPruned`); undefined where it was not asked for. */
  readonly raw: Json | undefined
  readonly rawBytes: number
}

export const isPruned = ({ header, raw }: Opened): boolean => header.raw_commitment !== null && raw === null

/**
 * Checks a line's bytes (without the line feed) against its own digests. Throws `damaged` with the reason. Who does not
 * need the raw part (`raw: false`) gets the rest; it is checked all the same.
 */
export function open(bytes: Uint8Array, sha256: Digest, { raw = true } = {}): Opened {
  const { header, hash, to } = openHeader(bytes, sha256)
  const { redacted, payloadBytes, rawBytes } = partsOf(bytes, to)
  if (sha256(payloadBytes) !== (redacted.payload ?? header.payload_commitment))
    throw damaged('its payload does not match the digest of it')
  const payload = tryParse(utf8(payloadBytes))
  if (payload === undefined) throw damaged('its payload is not JSON')
  const isGone = rawBytes.length === NULL.length && startsWith(rawBytes, 0, NULL)
  if (!isGone && sha256(rawBytes) !== (redacted.raw ?? header.raw_commitment))
    throw damaged('its raw part does not match the digest of it')
  const rest = {
    header,
    hash,
    redacted,
    payload: withoutNonce(payload),
    rawBytes: isGone ? 0 : rawBytes.length,
  }
  if (isGone || !raw) return { ...rest, raw: isGone ? null : undefined }
  const parsed = tryParse(utf8(rawBytes))
  if (parsed === undefined) throw damaged('its raw part is not JSON')
  return { ...rest, raw: withoutNonce(parsed) }
}

/** The header at the beginning of a line, checked against its own hash. Throws `damaged`. */
export function openHeader(
  bytes: Uint8Array,
  sha256: Digest,
): { header: Header; hash: string; headerText: string; to: number } {
  const from = OPEN.length
  if (!startsWith(bytes, 0, OPEN)) throw damaged('it does not begin like an event')
  const end = find(bytes, `}${HASH}`, from) + 1
  if (end === 0) throw damaged('its header has no end')
  const to = end + HASH.length + HASH_CHARS
  const hash = utf8(bytes.subarray(end + HASH.length, to))
  const headerBytes = bytes.subarray(from, end)
  if (!startsWith(bytes, to, '"')) throw damaged(MISPLACED)
  if (sha256(headerBytes) !== hash) throw damaged('its header does not match its hash')
  const headerText = utf8(headerBytes)
  return { header: parseHeader(headerText), hash, headerText, to: to + 1 }
}

/**
 * The line with other parts in place of those that are given, which lose their nonce; a raw part of null is pruned. Header
 * and hash stay. Throws `bad_event` if a part is not of the event's type.
 */
export function redactLine(
  bytes: Uint8Array,
  { payload, raw }: { readonly payload?: Json; readonly raw?: Json },
  sha256: Digest,
): Uint8Array {
  const { header, hash, headerText, to } = openHeader(bytes, sha256)
  const { redacted, payloadBytes, rawBytes } = partsOf(bytes, to)
  const payloadText =
    payload === undefined ? utf8(payloadBytes) : canonical(checkPayload(header.type, payload))
  const rawText =
    raw === undefined ? utf8(rawBytes) : raw === null ? NULL : canonical(checkRaw(header.type, raw))
  const marked = {
    payload: payload === undefined ? redacted.payload : sha256(payloadText),
    raw: raw === undefined ? redacted.raw : raw === null ? undefined : sha256(rawText),
  }
  const line = joined({ headerText, hash, redacted: marked, payloadText, rawText })
  return new TextEncoder().encode(line)
}

/** The line without its raw part; chain and packets stay as they are. */
export const prune = (bytes: Uint8Array, sha256: Digest): Uint8Array =>
  redactLine(bytes, { raw: null }, sha256)

const NULL = 'null'

function joined(parts: {
  readonly headerText: string
  readonly hash: string
  readonly redacted: Redacted
  readonly payloadText: string
  readonly rawText: string
}): string {
  const { headerText, hash, redacted, payloadText, rawText } = parts
  const digests = JSON.stringify(redacted)
  const marked = digests === '{}' ? '' : `${REDACTED}${digests}`
  const size = utf8Length(payloadText)
  return `${OPEN}${headerText}${HASH}${hash}"${marked}${SIZE}${size}${PAYLOAD}${payloadText}${RAW}${rawText}}`
}

/** What stands between hash and payload. */
const BETWEEN =
  /^(?:,"redacted":\{(?:"payload":"(?<payload>[0-9a-f]{64})")?,?(?:"raw":"(?<raw>[0-9a-f]{64})")?\})?,"payload_bytes":(?<size>\d{1,10})$/

/** What follows the header and its hash. */
function partsOf(bytes: Uint8Array, to: number) {
  const payloadAt = find(bytes, PAYLOAD, to)
  const between = BETWEEN.exec(utf8(bytes.subarray(to, Math.max(payloadAt, to))))
  const { payload, raw, size } = between?.groups ?? {}
  const payloadFrom = payloadAt + PAYLOAD.length
  const payloadTo = payloadFrom + Number(size)
  if (size === undefined || !startsWith(bytes, payloadTo, RAW) || bytes.at(-1) !== 0x7d)
    throw damaged(MISPLACED)
  return {
    redacted: { ...(payload ? { payload } : {}), ...(raw ? { raw } : {}) },
    payloadBytes: bytes.subarray(payloadFrom, payloadTo),
    rawBytes: bytes.subarray(payloadTo + RAW.length, bytes.length - 1),
  }
}

/** The event of an intact line. */
export function toEvent({ header, hash, redacted, payload, raw }: Opened): Event {
  return assemble(
    header,
    hash,
    redacted,
    checkPayload(header.type, payload),
    raw === null || raw === undefined ? raw : checkRaw(header.type, raw),
  )
}

function withoutNonce(part: unknown): Json {
  if (!isObject(part)) return part as Json
  const { nonce: _, ...rest } = part as JsonObject
  return rest
}

/** Header, payload and raw part were checked against the schemas of `type`; this is where that becomes a type. */
function assemble(
  header: Header,
  hash: string,
  redacted: Redacted,
  payload: Json,
  raw: Json | undefined,
): Event {
  const { payload_commitment: _p, raw_commitment, ...rest } = header
  const part = raw_commitment === null || raw === undefined ? {} : { raw }
  const marked = Object.keys(redacted)
  return {
    ...rest,
    ...(payload as JsonObject),
    ...part,
    ...(marked.length > 0 ? { redacted: marked } : {}),
    hash,
  } as unknown as Event
}

function withoutUndefined(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined))
}

const damaged = (reason: string) => new TwotrackError('damaged', reason)
const decoder = new TextDecoder()
const utf8 = (bytes: Uint8Array) => decoder.decode(bytes)
