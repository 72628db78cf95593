/** The candidate that a mistyped word most likely meant; undefined when none is close. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined
  let bestDistance = Number.POSITIVE_INFINITY
  for (const candidate of candidates) {
    const allowed = Math.max(1, Math.floor(candidate.length / 3))
    if (Math.abs(word.length - candidate.length) > allowed) continue
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (distance <= allowed && distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/**
 * Damerau-Levenshtein distance (optimal string alignment): insertions, deletions, substitutions and swaps of
 * neighbours that turn one word into the other.
 * @internal
 */
export function editDistance(from: string, to: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1]
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      current[column] = Math.min(
        cellAt(last, column) + 1,
        cellAt(current, column - 1) + 1,
        cellAt(last, column - 1) + (same ? 0 : 1),
        row > 1 && column > 1 && swapped ? cellAt(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    beforeLast = last
    last = current
  }
  return cellAt(last, to.length)
}

const cellAt = (row: readonly number[], column: number): number => row[column] ?? Number.POSITIVE_INFINITY
