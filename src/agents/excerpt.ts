/** Lines on either side of the one that matters. */
const MARGIN = 3

/** The lines of a file to work on next, as a packet's focus. Lines count from 1. */
export function excerptLines(
  path: string,
  text: string,
  from: number,
  to = from,
): { place: string; text: string } {
  const lines = text.split('\n')
  const first = Math.max(1, Math.min(from, lines.length))
  const last = Math.max(first, Math.min(to, lines.length))
  return {
    place: first === last ? `${path}:${first}` : `${path}:${first}-${last}`,
    text: lines.slice(first - 1, last).join('\n'),
  }
}

/** One line and what stands around it, the line itself named as the place. */
export function linesAround(path: string, text: string, line: number): { place: string; text: string } {
  return { place: `${path}:${line}`, text: excerptLines(path, text, line - MARGIN, line + MARGIN).text }
}
