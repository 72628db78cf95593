import type { Settings } from '../event/event.ts'

/** A cap of this run; a log written before the cap existed has none, which means no limit. */
export const cap = (settings: Settings, name: string): number =>
  settings.caps[name] ?? Number.MAX_SAFE_INTEGER

/** Shortens text to a number of UTF-16 units, never inside a surrogate pair, and says that it did. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text
  if (max < 1) return ''
  let end = max - 1
  const code = text.charCodeAt(end - 1)
  if (code >= 0xd800 && code < 0xdc00) end--
  return `${text.slice(0, Math.max(0, end))}…`
}
