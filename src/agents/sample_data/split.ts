const CLOSERS: Readonly<Record<string, string>> = { '[': ']', '(': ')', '{': '}', '<': '>' }

/** Splits at a character that stands in no brackets and no quotes; the parts are trimmed. One pass. */
export function splitTop(text: string, separator: string): string[] {
  const parts: string[] = []
  const open: string[] = []
  let quote = ''
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? ''
    if (quote !== '') {
      if (char === quote) quote = ''
    } else if (char === '"' || char === "'") quote = char
    else if (char in CLOSERS) open.push(CLOSERS[char] ?? '')
    else if (char === open.at(-1) && text[at - 1] !== '=') open.pop()
    else if (char === separator && open.length === 0) {
      parts.push(text.slice(from, at).trim())
      from = at + 1
    }
  }
  return [...parts, text.slice(from).trim()]
}
