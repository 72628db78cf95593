import { structuredPatch } from 'diff'
import type { FileChange } from '../core/event/delta.ts'

/** What a tool changed in a file, so that what is known of its lines moves with them. */
export const changedLines = (path: string, before: string, after: string): FileChange[] =>
  structuredPatch(path, path, before, after, undefined, undefined, { context: 0 })
    .hunks.map(({ oldStart, oldLines, lines }): FileChange => {
      const fresh = lines.filter((line) => line.startsWith('+')).map((line) => line.slice(1))
      const text = fresh.length === 0 ? null : fresh.join('\n')
      return { kind: 'lines', path, from: oldStart, to: oldStart + oldLines - 1, text }
    })
    // From the last to the first: the numbers of those above stay as they are.
    .reverse()
