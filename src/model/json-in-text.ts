import { tryParse } from '../event/json.ts'

/**
 * The first JSON object or array in a text, whatever stands around it; undefined when there is none. Looks at
 * one opening bracket only, so the time is linear in the length of the text.
 */
export function firstJson(text: string): unknown {
  const from = text.search(/[{[]/)
  if (from < 0) return undefined
  const end = closing(text, from)
  return end === undefined ? undefined : tryParse(text.slice(from, end + 1))
}

/** Where the bracket at `from` is closed; brackets inside JSON strings do not count. */
export function closing(text: string, from: number): number | undefined {
  let depth = 0
  let quoted = false
  for (let at = from; at < text.length; at++) {
    const char = text[at]
    if (quoted) {
      if (char === '\\') at++
      else if (char === '"') quoted = false
    } else if (char === '"') quoted = true
    else if (char === '{' || char === '[') depth++
    else if ((char === '}' || char === ']') && --depth === 0) return at
  }
  return undefined
}
