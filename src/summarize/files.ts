import { type NumberedLine, notes } from '../packet/notes.ts'
import { NOTES_CHARS_MAX, within } from './generic.ts'
import { intentOf } from './intent.ts'
import { placeOf } from './label.ts'
import { cleanLines, pickLines, plural } from './lines.ts'
import { ownNumbers } from './numbered.ts'
import type { Summarizer } from './summarizer.ts'

/** A file, or a part of it, was read: its lines with their numbers, whole or the telling ones. */
export const fileRead: Summarizer = {
  name: 'file-read',
  summarize(seen) {
    const intent = intentOf(seen.args)
    if (intent.kind !== 'read' || seen.outcome === 'error') return undefined
    const lines = cleanLines(within(seen.text))
    const filled = lines.filter((line) => line.trim() !== '')
    if (filled.length === 0) return { summary: `${intent.path} is empty` }
    const numbered = ownNumbers(lines) ?? counted(lines, intent.from ?? 1)
    const place = placeOf(intent.path, intent.from, intent.to)
    return {
      summary: `Read ${place}, ${plural(filled.length, 'line')}`,
      knowledge: {
        [place]: notes(
          '',
          pickLines(numbered, NOTES_CHARS_MAX),
        ),
      },
    }
  },
}

/** Lines counted from the first one shown; a tail has no known numbers. */
const counted = (lines: readonly string[], from: number): NumberedLine[] =>
  lines.map((line, at) => [from === 0 ? 0 : from + at, line])
