import { buffer } from 'node:stream/consumers'
import { readEvent } from '../audit/history.ts'
import type { Mark } from '../audit/why/answer.ts'
import { marksOf } from '../audit/why/marks.ts'
import type { Event } from '../core/event/event.ts'
import { canonical, defined } from '../core/event/json.ts'
import { redactedIn } from '../core/event/redacted.ts'
import { bytesOfField, fieldOf } from '../core/memory/blobs.ts'
import type { Store } from '../core/store/store.ts'
import { TwotrackError } from '../errors.ts'

export { messagesOf } from '../core/memory/messages.ts'

const PAGE_EVENTS = 100
const MATCHES_MAX = 100

/** Some events of a log, in order. */
export interface EventsPage {
  readonly events: readonly Event[]
  /** Where the next page begins; absent after the last event. */
  readonly next?: number
}

export async function eventsPage(
  store: Store,
  agentId: string,
  { from = 1, most = PAGE_EVENTS }: { readonly from?: number; readonly most?: number },
): Promise<EventsPage> {
  const events: Event[] = []
  for await (const event of store.read(agentId, { from, to: from + most })) events.push(event)
  const [next] = events.splice(most)
  return { events, ...defined({ next: next?.seq }) }
}

/** One event whole. Throws `missing`, with the events that there are. */
export async function eventAt(store: Store, agentId: string, seq: number): Promise<Event> {
  const event = await readEvent(store, agentId, seq)
  if (event) return event
  const head = await store.head(agentId)
  throw new TwotrackError(
    'missing',
    `Agent "${agentId}" has events 1 to ${head?.seq ?? 0}; there is no event ${seq}.`,
  )
}

/** The events of a log out of which texts were taken. */
export async function redactedEvents(store: Store, agentId: string): Promise<number[]> {
  const marked: Event[] = []
  for await (const event of store.read(agentId, { raw: false })) if (event.redacted) marked.push(event)
  return redactedIn(marked)
}

/** The raw field of an event that people mean: its output, or the prompt. */
const RAW_FIELDS = ['raw_output', 'prompt', 'completion', 'bundle', 'stack'] as const

/** The bytes of a raw field, or some of them. */
export interface RawBytes {
  readonly field: string
  /** Of the whole field. */
  readonly total: number
  readonly from: number
  readonly bytes: Uint8Array
}

export async function rawBytes(
  store: Store,
  event: Event,
  { from = 0, to }: { readonly from?: number; readonly to?: number } = {},
): Promise<RawBytes> {
  for (const field of RAW_FIELDS) {
    const found = bytesOfField(store, event, field, { from, ...defined({ to }) })
    if (!found) continue
    return { field, total: found.total, from, bytes: await buffer(found.bytes) }
  }
  throw new TwotrackError('missing', `Event ${event.seq} (${event.type}) has no raw output.`)
}

/** A text in the raw part of an event. */
export interface RawMatch extends Mark {
  readonly seq: number
  readonly turn: number
  readonly field: string
  /** The whole line. */
  readonly in: string
}

/** Where raw output, prompts and completions hold a text, in the order of the log. */
export async function searchRaw(
  store: Store,
  agentId: string,
  text: string,
  { from = 1, most = MATCHES_MAX }: { readonly from?: number; readonly most?: number } = {},
): Promise<{ readonly matches: readonly RawMatch[]; readonly next?: number }> {
  const matches: RawMatch[] = []
  for await (const event of store.read(agentId, { from })) {
    if (matches.length >= most) return { matches, next: event.seq }
    const { seq, turn } = event
    const fields = new Set([...Object.keys(event.raw ?? {}), ...Object.keys(event.raw?.blobs ?? {})])
    for (const field of fields) {
      const value = field === 'blobs' ? undefined : await fieldOf(store, event, field)
      if (value === undefined || value instanceof Uint8Array) continue
      const whole = typeof value === 'string' ? value : canonical(value)
      for (const mark of marksOf(whole, placesOf(whole, text)))
        matches.push({ seq, turn, field, ...mark, in: whole.split('\n')[mark.line - 1] ?? '' })
    }
  }
  return { matches: matches.slice(0, most) }
}

function placesOf(whole: string, text: string): { from: number; to: number }[] {
  const places = []
  for (
    let from = whole.indexOf(text);
    from >= 0 && text !== '';
    from = whole.indexOf(text, from + text.length)
  )
    places.push({ from, to: from + text.length })
  return places
}

/** An event with its blobs put back. */
export async function wholeEvent(store: Store, event: Event): Promise<unknown> {
  const fields = await Promise.all(
    Object.keys(event.raw?.blobs ?? {}).map(async (field) => {
      const value = await fieldOf(store, event, field)
      return [field, value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value]
    }),
  )
  const { blobs: _, ...inline } = event.raw ?? {}
  return { ...event, ...(event.raw ? { raw: { ...inline, ...Object.fromEntries(fields) } } : {}) }
}
