import type { Settings } from '../event/event.ts'

/** A cap of this run, as its first event states it; one that is not stated means no limit. */
export const cap = (settings: Settings, name: string): number =>
  settings.caps[name] ?? Number.MAX_SAFE_INTEGER
