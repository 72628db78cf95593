import type { NumberedLine } from '../packet/notes.ts'

/**
 * Lines that bring their own numbers, as `cat -n`, `nl`, `grep -n` and most file viewers write them: digits after
 * leading space, then a tab, `→`, `:`, `|`, `-` or two spaces. Undefined when most lines are not like that.
 */
export function ownNumbers(lines: readonly string[]): NumberedLine[] | undefined {
  const read: NumberedLine[] = []
  let filled = 0
  let rising = 0
  let last = 0
  for (const line of lines) {
    if (line.trim() === '') continue
    filled++
    const numbered = numberedLine(line)
    if (!numbered) {
      read.push([0, line])
      continue
    }
    if (numbered[0] > last) rising++
    last = numbered[0]
    read.push(numbered)
  }
  return filled > 0 && rising >= filled * 0.6 ? read : undefined
}

export function numberedLine(line: string): NumberedLine | undefined {
  let at = 0
  while (line[at] === ' ') at++
  const from = at
  while (at < line.length && isDigit(line.charCodeAt(at))) at++
  if (at === from || at - from > 7) return undefined
  const number = Number(line.slice(from, at))
  const mark = line[at]
  if (mark === undefined) return [number, '']
  if (mark === '\t' || mark === '→' || mark === ':' || mark === '|' || mark === '-')
    return [number, line.slice(at + 1)]
  return line.startsWith('  ', at) || (from > 0 && mark === ' ') ? [number, line.slice(at + 1)] : undefined
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57

/** `path:12:text` or `path:text` or `path-12-text` (context lines), as searches over many files write. */
export function placedLine(line: string): { path: string; line: number; text: string } | undefined {
  const colon = colonAfterPath(line)
  if (colon === -1) return undefined
  const path = line.slice(0, colon)
  if (!looksLikePath(path)) return undefined
  let at = colon + 1
  while (at < line.length && isDigit(line.charCodeAt(at))) at++
  const numbered = at > colon + 1 && (line[at] === ':' || line[at] === '-' || at === line.length)
  return numbered
    ? { path, line: Number(line.slice(colon + 1, at)), text: line.slice(at + 1) }
    : { path, line: 0, text: line.slice(colon + 1) }
}

/** The first colon that does not belong to a drive letter. */
const colonAfterPath = (line: string): number => line.indexOf(':', /^[A-Za-z]:[\\/]/.test(line) ? 2 : 0)

/**
 * A path alone on a line or before a colon in what a search found. Stricter than a report's (`reports/place.ts`), where
 * a place follows and tells: what a search finds is code, and `</div>`, `f(x).y` and `this.showError` are no paths.
 */
export function looksLikePath(text: string): boolean {
  if (text === '' || text.length > 300 || /[\s"'<>(){}=,;]/.test(text)) return false
  return text.includes('/') || text.includes('\\') || /\.[A-Za-z0-9]{1,5}$/.test(text)
}
