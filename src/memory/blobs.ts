import type { BlobRef, Draft, Event, EventType } from '../event/event.ts'
import { canonical, type Json, tryParse } from '../event/json.ts'
import { INLINE_FIELD_BYTES_MAX } from '../limits.ts'
import { sha256 } from '../sha256.ts'
import { getBlob, type Store } from '../store/store.ts'

/** The fields that are stored as blobs when they are large; a prompt always is. */
const spillable: Partial<Record<EventType, readonly string[]>> = {
  model_request: ['prompt'],
  model_response: ['text', 'calls'],
  tool_call: ['args'],
  tool_result: ['raw_output', 'parsed_output'],
  submit_result: ['result'],
  escalation: ['bundle', 'answer'],
}
const ALWAYS_SPILLED = 'prompt'

/** Moves large fields of a draft into blobs. The blobs are durable before the event that names them is. */
export async function spill(
  store: Store,
  draft: Draft,
  blobs: Record<string, BlobRef> = {},
): Promise<Draft & { blobs?: Record<string, BlobRef> }> {
  const kept: [string, Json][] = []
  const spilled: [string, BlobRef][] = Object.entries(blobs)
  for (const [field, value] of Object.entries(draft.data) as [string, Json][]) {
    if (value === undefined) continue
    const content = spillable[draft.type]?.includes(field) ? contentOf(field, value) : undefined
    if (content) spilled.push([field, await store.putBlob(content.bytes, content.media)])
    else kept.push([field, value])
  }
  if (spilled.length === 0) return draft
  // The schema of each type lets its spillable fields be absent; `seal` checks it again.
  return {
    ...draft,
    data: Object.fromEntries(kept),
    blobs: Object.fromEntries(spilled),
  } as unknown as Draft & {
    blobs: Record<string, BlobRef>
  }
}

function contentOf(field: string, value: Json): { bytes: Uint8Array; media: BlobRef['media'] } | undefined {
  const content = bytesOf(value)
  return field !== ALWAYS_SPILLED && content.bytes.length <= INLINE_FIELD_BYTES_MAX ? undefined : content
}

/** A string with a lone surrogate has no UTF-8 form; as JSON it keeps every unit. */
function bytesOf(value: Json): { bytes: Buffer; media: 'text' | 'json' } {
  const asText = typeof value === 'string' && value.isWellFormed()
  return { bytes: Buffer.from(asText ? value : canonical(value)), media: asText ? 'text' : 'json' }
}

/** Digest and size of a field's content, known without reading its blob; undefined if there is no such field. */
export function fieldDigest(event: Event, field: string): { sha256: string; bytes: number } | undefined {
  const ref = event.blobs && Object.hasOwn(event.blobs, field) ? event.blobs[field] : undefined
  if (ref) return ref
  const value = new Map<string, Json | undefined>(Object.entries(event.data)).get(field)
  if (value === undefined) return undefined
  const { bytes } = bytesOf(value)
  return { sha256: sha256(bytes), bytes: bytes.length }
}

/** A field of an event, wherever it is stored; undefined if the event has no such field. */
export async function fieldOf(
  store: Store,
  event: Event,
  field: string,
): Promise<Json | Uint8Array | undefined> {
  const ref = event.blobs && Object.hasOwn(event.blobs, field) ? event.blobs[field] : undefined
  if (!ref) return new Map<string, Json | undefined>(Object.entries(event.data)).get(field)
  const bytes = await getBlob(store, ref.sha256)
  if (ref.media === 'bytes') return bytes
  const text = Buffer.from(bytes).toString('utf8')
  return ref.media === 'text' ? text : (tryParse(text) as Json)
}
