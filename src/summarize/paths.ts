/** A place in a file at the start of a line: `path:12:text`, `path:text`, `path-12-text`. */
export interface PlacedLine {
  readonly path: string
  /** 0 where none is given. */
  readonly line: number
}

export function placedLine(line: string): PlacedLine | undefined {
  // The first colon that does not belong to a drive letter.
  const colon = line.indexOf(':', /^[A-Za-z]:[\\/]/.test(line) ? 2 : 0)
  if (colon === -1 || !looksLikePath(line.slice(0, colon))) return undefined
  const number = /^(\d{1,9})(?:[:-]|$)/.exec(line.slice(colon + 1, colon + 12))?.[1]
  return { path: line.slice(0, colon), line: Number(number ?? 0) }
}

/**
 * A path alone on a line or before a colon in what a search found. Stricter than a report's (`reports/place.ts`), where
 * a place follows and tells: what a search finds is code, and `</div>`, `f(x).y` and `this.showError` are no paths.
 */
export function looksLikePath(text: string): boolean {
  if (text === '' || text.length > 300 || /[\s"'<>(){}=,;]/.test(text)) return false
  return text.includes('/') || text.includes('\\') || /\.[A-Za-z0-9]{1,5}$/.test(text)
}
