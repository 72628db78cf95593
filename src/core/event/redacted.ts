import type { Event } from './event.ts'

/** The events out of which texts were taken on purpose, by seq: whoever shows or counts them says so with this. */
export const redactedIn = (events: readonly Pick<Event, 'seq' | 'redacted'>[]): number[] =>
  events.flatMap(({ seq, redacted }) => (redacted ? [seq] : []))
