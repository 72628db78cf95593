import { type NumberedLine, notes } from '../packet/notes.ts'
import { pickLines, plural } from '../text/lines.ts'
import { intentOf } from './call/intent.ts'
import { placeOf } from './call/label.ts'
import { NOTES_CHARS_MAX } from './generic.ts'
import { ownNumbers } from './numbered.ts'
import type { Summarizer } from './summarizer.ts'
import { type Looked, lookAt } from './within.ts'

/** A file, or a part of it, was read: its lines with their numbers, whole or the telling ones. */
export const fileRead: Summarizer = {
  name: 'file-read',
  summarize(seen) {
    const intent = intentOf(seen.args)
    if (intent.kind !== 'read' || seen.outcome === 'error') return undefined
    const looked = lookAt(seen.text)
    if (looked.filled === 0) return { summary: `${intent.path} is empty` }
    const numbered = ownNumbers(looked.lines) ?? counted(looked, intent.from ?? 1)
    const place = placeOf(intent.path, intent.from, intent.to)
    const size = `${plural(looked.filled, 'line')}${looked.aside}`
    return {
      summary: `Read ${place}, ${size}`,
      knowledge: {
        [place]: notes('', pickLines(numbered, NOTES_CHARS_MAX)),
      },
    }
  },
}

/** Lines counted from the first one shown; a tail has no known numbers. */
const counted = ({ lines, lineOf }: Looked, from: number): NumberedLine[] =>
  lines.map((line, at) => [from === 0 ? 0 : from + lineOf(at), line])
