import { isHidden } from '../text/sanitize.ts'

/**
 * Recorded text for people: line breaks and tabs stay, every other character that a reader would not see, or that would
 * move or reorder what is seen, stands there as an escape such as `\x1b`. Parts of emoji stay.
 */
export function visible(text: string): string {
  if (!UNUSUAL.test(text)) return text
  let shown = ''
  let from = 0
  let before = ''
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at) ?? 0
    const character = String.fromCodePoint(code)
    const width = character.length
    if (isHidden(code) && code !== 0x0a && code !== 0x09 && !joinsEmoji(code, before)) {
      // A line break of another system is one; on its own it moves the cursor.
      const isLineEnd = code === 0x0d && text.charCodeAt(at + 1) === 0x0a
      shown += text.slice(from, at) + (isLineEnd ? '' : escapeOf(code))
      from = at + width
    }
    before = character
    at += width
  }
  return from === 0 ? text : shown + text.slice(from)
}

/** Most texts have none of these: then there is nothing to look for. */
const UNUSUAL = /[^\t\n\x20-\x7e]/

/** JSON that says the same to programs, with what a reader would not see as an escape of JSON. */
export const visibleJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(/[^\n\x20-\x7e]/gu, (char) =>
    isHidden(char.codePointAt(0) ?? 0)
      ? Array.from(char.length === 1 ? char : [char[0], char[1]], unitEscape).join('')
      : char,
  )

const unitEscape = (unit = ''): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** The same on one line. */
export const visibleLine = (text: string): string => visible(text.replace(/[\s]+/g, ' ').trim())

const joinsEmoji = (code: number, before: string): boolean =>
  (code === 0xfe0f || code === 0x200d) && (before === '\ufe0f' || /\p{Extended_Pictographic}/u.test(before))

const escapeOf = (code: number): string =>
  code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`

/** A length of time for people. */
export function time(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`
  return `${Math.floor(ms / 3_600_000)} h ${Math.round((ms % 3_600_000) / 60_000)} min`
}
