import type { Event, EventFor, EventType } from './event.ts'

/** What is done with an event, by its type; nothing with others. */
export type ByType<More extends unknown[], Result> = {
  readonly [K in EventType]?: (event: EventFor<K>, ...more: More) => Result
}

export function byType<More extends unknown[], Result>(
  table: ByType<More, Result>,
  event: Event,
  ...more: More
): Result | undefined {
  const handle = table[event.type] as ((event: Event, ...more: More) => Result) | undefined
  return handle?.(event, ...more)
}
