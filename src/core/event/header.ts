import { TwotrackError } from '../../errors.ts'
import { ID_CHARS_MAX } from '../../limits.ts'
import { EVENT_VERSION, eventTypes, type Header, headerSchema } from './event.ts'
import { isObject, tryParse } from './json.ts'

/** The header in a line's text. Throws `newer_version`, or `damaged` with what is wrong. */
export function parseHeader(text: string): Header {
  const value = tryParse(text)
  if (isHeader(value)) return value
  const v = isObject(value) ? value['v'] : undefined
  if (typeof v === 'number' && v > EVENT_VERSION) {
    throw new TwotrackError(
      'newer_version',
      `This log has events of version ${v}; this twotrack reads up to ${EVENT_VERSION}. Upgrade twotrack.`,
    )
  }
  // The schema decides; the check by hand only spares it the headers that are as they are written.
  const header = headerSchema.safeParse(value)
  if (header.success) return header.data
  const issue = header.error.issues[0]
  throw new TwotrackError(
    'damaged',
    `its header is none: at ${issue?.path.join('.') || 'the top'}: ${issue?.message}`,
  )
}

const FIELDS = Object.keys(headerSchema.shape).length
const TYPES: ReadonlySet<unknown> = new Set(eventTypes)
const DIGEST_CHARS = 64
/** As `Date` writes it; of the days only those that every month has. */
const TIMESTAMP = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/

/**
 * True only for what `headerSchema` takes (digests aside), and many times as fast: a log is opened line by line. What it
 * is not sure of (a leap day) is left to the schema.
 * @internal
 */
export function isHeader(value: unknown): value is Header {
  if (!isObject(value)) return false
  const { v, id, run_id, agent_id, operation, node_id, seq, turn, timestamp, type } = value
  const { prev, payload_commitment, raw_commitment } = value
  return (
    v === EVENT_VERSION &&
    [id, run_id, agent_id, operation, node_id].every(isId) &&
    isCount(seq) &&
    seq > 0 &&
    isCount(turn) &&
    typeof timestamp === 'string' &&
    TIMESTAMP.test(timestamp) &&
    TYPES.has(type) &&
    isDigest(prev) &&
    isDigest(payload_commitment) &&
    (raw_commitment === null || isDigest(raw_commitment)) &&
    Object.keys(value).length === FIELDS
  )
}

const isId = (value: unknown): boolean =>
  typeof value === 'string' && value.length > 0 && value.length <= ID_CHARS_MAX
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
/** Its characters count when it is compared: with what the payload, the raw part or the event before it give. */
const isDigest = (value: unknown): boolean => typeof value === 'string' && value.length === DIGEST_CHARS
