import { HIDDEN } from '../text/sanitize.ts'

/**
 * Recorded text for people: line breaks and tabs stay, every other character that a reader would not see, or that would
 * move or reorder what is seen, stands there as an escape such as `\x1b`. Parts of emoji stay.
 */
export const visible = (text: string): string =>
  text.replace(HIDDEN, (one, at: number) => {
    if (joinsEmoji(one, text.slice(Math.max(0, at - 2), at))) return one
    // A line break of another system is one; on its own it moves the cursor.
    return one === '\r' && text.charAt(at + 1) === '\n' ? '' : escapeOf(one.codePointAt(0) ?? 0)
  })

/** JSON that says the same to programs, with what a reader would not see as an escape of JSON. */
export const visibleJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(HIDDEN, (one) => one.split('').map(unitEscape).join(''))

const unitEscape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

export const visibleLine = (text: string): string => visible(text.replace(/[\s]+/g, ' ').trim())

const joinsEmoji = (one: string, before: string): boolean =>
  (one === '\ufe0f' || one === '\u200d') && /(?:\ufe0f|\p{Extended_Pictographic})$/u.test(before)

const escapeOf = (code: number): string =>
  code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`

export function time(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`
  return `${Math.floor(ms / 3_600_000)} h ${Math.round((ms % 3_600_000) / 60_000)} min`
}
