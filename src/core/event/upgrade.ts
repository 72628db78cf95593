import { TwotrackError } from '../../errors.ts'
import { EVENT_VERSION, type EventType } from './event.ts'
import type { Json } from './json.ts'

type Upgrade = (type: EventType, payload: Json) => Json

/**
 * One step per old version: `from[1]` makes a version 2 payload of a version 1 payload. Version 1 is the
 * oldest.
 */
const from: Readonly<Record<number, Upgrade>> = {}

/** Brings a payload to the current version. The line on disk is never rewritten. */
export function upgrade(v: number, type: EventType, payload: Json, steps = from): Json {
  let current = payload
  for (let version = v; version < EVENT_VERSION; version++) {
    const step = steps[version]
    if (!step) throw new TwotrackError('bad_event', `Events of version ${version} can no longer be read.`)
    current = step(type, current)
  }
  return current
}
