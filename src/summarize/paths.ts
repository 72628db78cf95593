/** The path at the start of a line: `path:12:text`, `path:text`. */
export function pathBefore(line: string): string | undefined {
  // The first colon that does not belong to a drive letter.
  const colon = line.indexOf(':', /^[A-Za-z]:[\\/]/.test(line) ? 2 : 0)
  const path = line.slice(0, Math.max(0, colon))
  return looksLikePath(path) ? path : undefined
}

/**
 * A path alone on a line or before a colon in what a search found. Stricter than a report's (`reports/place.ts`), where
 * a line number has to follow: what a search finds is code, and `</div>`, `f(x).y` and `this.showError` are no paths.
 */
export function looksLikePath(text: string): boolean {
  if (text === '' || text.length > 300 || /[\s"'<>(){}=,;]/.test(text)) return false
  return text.includes('/') || text.includes('\\') || /\.[A-Za-z0-9]{1,5}$/.test(text)
}
