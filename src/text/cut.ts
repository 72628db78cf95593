/** Shortens text to a number of UTF-16 units, never inside a surrogate pair, and says that it did. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text
  if (max < 1) return ''
  return `${head(text, max - 1)}…`
}

/** Keeps both ends of a text and puts `⋮` on a line of its own, or `…`, where the middle was. */
export function cutMiddle(text: string, max: number): string {
  if (text.length <= max) return text
  const mark = text.includes('\n') ? '\n⋮\n' : '…'
  const half = (max - mark.length) >> 1
  if (half < 1) return cut(text, max)
  return `${head(text, half)}${mark}${tail(text, half)}`
}

function head(text: string, chars: number): string {
  const code = text.charCodeAt(chars - 1)
  return text.slice(0, Math.max(0, code >= 0xd800 && code < 0xdc00 ? chars - 1 : chars))
}

function tail(text: string, chars: number): string {
  const from = text.length - chars
  const code = text.charCodeAt(from)
  return text.slice(code >= 0xdc00 && code < 0xe000 ? from + 1 : from)
}
