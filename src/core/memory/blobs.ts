import { sha256 } from '../../sha256.ts'
import { cutMiddle } from '../../text/cut.ts'
import { utf8Length } from '../event/bytes.ts'
import type { BlobRef, Draft, Event, Raw } from '../event/event.ts'
import { canonical, isObject, type Json, tryParse } from '../event/json.ts'
import { getBlob, type Store } from '../store/store.ts'

/** A raw field above this is stored as a blob, and arguments above it are cut in the data. */
const INLINE_FIELD_BYTES_MAX = 16 * 1024
/** A model's words, or the texts in a call's arguments, in an event's data; the raw part has them whole. */
const TEXT_IN_DATA_CHARS_MAX = 8 * 1024

/** Always a blob: prompts repeat much of each other, and blobs are compressed. */
const ALWAYS_BLOB = 'prompt'

/** Moves large raw fields of a draft into blobs. The blobs are durable before the event that names them is. */
export async function spill(
  store: Store,
  draft: Draft,
  stored: Readonly<Record<string, BlobRef>> = {},
): Promise<Draft> {
  const inline: [string, Json][] = []
  const blobs: [string, BlobRef][] = Object.entries(stored)
  for (const [field, value] of Object.entries(draft.raw ?? {})) {
    if (value === undefined || field === 'blobs') continue
    const content = contentOf(field, value)
    if (content) blobs.push([field, await store.putBlob(content.bytes, content.media)])
    else inline.push([field, value])
  }
  if (inline.length + blobs.length === 0) return draft
  const raw: Raw = {
    ...Object.fromEntries(inline),
    ...(blobs.length > 0 ? { blobs: Object.fromEntries(blobs) } : {}),
  }
  return { ...draft, raw }
}

function contentOf(field: string, value: Json): { bytes: Uint8Array; media: BlobRef['media'] } | undefined {
  // A string with a lone surrogate has no UTF-8 form; as JSON it keeps every unit.
  const asText = typeof value === 'string' && value.isWellFormed()
  const text = asText ? value : canonical(value)
  if (field !== ALWAYS_BLOB && utf8Length(text) <= INLINE_FIELD_BYTES_MAX) return undefined
  return { bytes: Buffer.from(text), media: asText ? 'text' : 'json' }
}

/**
 * A field of an event, wherever it is stored: the raw part has it whole, the data perhaps shortened. Undefined if the
 * event has no such field, or if it was pruned.
 */
export async function fieldOf(
  store: Store,
  event: Event,
  field: string,
): Promise<Json | Uint8Array | undefined> {
  const ref = blobOf(event, field)
  if (!ref) return own(event.raw ?? {}, field) ?? own(event.data, field)
  const bytes = await getBlob(store, ref.sha256)
  if (ref.media === 'bytes') return bytes
  const text = Buffer.from(bytes).toString('utf8')
  return ref.media === 'text' ? text : (tryParse(text) as Json)
}

/** The same as bytes, or a range of them, as they are stored: a large field is never held as a whole. */
export function bytesOfField(
  store: Store,
  event: Event,
  field: string,
  { from = 0, to }: { readonly from?: number; readonly to?: number } = {},
): { readonly total: number; readonly bytes: AsyncIterable<Uint8Array> } | undefined {
  const ref = blobOf(event, field)
  if (ref) {
    const isWhole = from === 0 && to === undefined
    const bytes = store.readBlob(ref.sha256, isWhole ? undefined : { from, to: to ?? ref.bytes })
    return { total: ref.bytes, bytes }
  }
  const value = own(event.raw ?? {}, field) ?? own(event.data, field)
  if (value === undefined) return undefined
  const bytes = Buffer.from(typeof value === 'string' ? value : canonical(value))
  return { total: bytes.length, bytes: one(bytes.subarray(from, to)) }
}

async function* one<T>(value: T): AsyncGenerator<T> {
  yield value
}

export const blobOf = ({ raw }: Event, field: string): BlobRef | undefined =>
  raw?.blobs && Object.hasOwn(raw.blobs, field) ? raw.blobs[field] : undefined

const own = (fields: object, field: string): Json | undefined =>
  new Map<string, Json | undefined>(Object.entries(fields)).get(field)

/**
 * Keeps what an event replays from small: a long text in a call's arguments or a model's answer is cut in the data and
 * stands whole in the raw part.
 */
export function shorten(draft: Draft): Draft {
  switch (draft.type) {
    case 'tool_call': {
      const { args } = draft.data
      if (isSmall(args)) return draft
      return {
        ...draft,
        data: { ...draft.data, args: shortArgs(args), args_sha256: sha256(canonical(args)) },
        raw: { ...draft.raw, args },
      }
    }
    case 'model_response': {
      const { calls, text, ...data } = draft.data
      const large = calls !== undefined && !isSmall(calls)
      const long = text.length > TEXT_IN_DATA_CHARS_MAX
      if (!large && !long) return draft
      return {
        ...draft,
        data: {
          ...data,
          text: long ? cutMiddle(text, TEXT_IN_DATA_CHARS_MAX) : text,
          ...(large || calls === undefined ? {} : { calls }),
        },
        raw: {
          ...draft.raw,
          ...(long ? { text } : {}),
          ...(large ? { calls } : {}),
        },
      }
    }
    case 'submit_result': {
      const { result, ...data } = draft.data
      if (result === undefined || isSmall(result)) return draft
      return { ...draft, data, raw: { ...draft.raw, result } }
    }
    default:
      return draft
  }
}

const isSmall = (value: Json): boolean => canonical(value).length <= INLINE_FIELD_BYTES_MAX

/** Long texts are cut in the middle; arguments that are large in another way become one text that is. */
function shortArgs(args: Json): Json {
  const short = shortTexts(args, TEXT_IN_DATA_CHARS_MAX >> 1)
  return isSmall(short) ? short : cutMiddle(canonical(args), TEXT_IN_DATA_CHARS_MAX)
}

function shortTexts(value: Json, max: number): Json {
  if (typeof value === 'string') return cutMiddle(value, max)
  if (Array.isArray(value)) return value.map((item) => shortTexts(item, max))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value as Record<string, Json>).map(([key, field]) => [key, shortTexts(field, max)]),
  )
}
