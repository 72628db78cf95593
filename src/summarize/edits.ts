import { type NumberedLine, notes } from '../packet/notes.ts'
import { NOTES_CHARS_MAX, within } from './generic.ts'
import { intentOf } from './intent.ts'
import { cleanLines, pickLines, plural } from './lines.ts'
import { ownNumbers } from './numbered.ts'
import type { Summarizer } from './summarizer.ts'

/** A file was changed: what stands there now, from the tool's own excerpt or from what the call wrote. */
export const edits: Summarizer = {
  name: 'edits',
  summarize(seen) {
    const intent = intentOf(seen.args)
    if ((intent.kind !== 'edit' && intent.kind !== 'write') || seen.outcome === 'error') return undefined
    const written = intent.kind === 'edit' ? intent.after : intent.content
    const shown = ownNumbers(cleanLines(within(seen.text)))
    const own = cleanLines(written).map(
      (line, at): NumberedLine => [intent.kind === 'write' ? at + 1 : 0, line],
    )
    const kept = pickLines(shown && shown.length > 2 ? shown : own, NOTES_CHARS_MAX)
    const count = plural(own.length, 'line')
    return intent.kind === 'write'
      ? {
          summary: `Wrote ${intent.path}, ${count}`,
          knowledge: { [intent.path]: notes(`written in turn ${seen.turn}`, kept) },
        }
      : {
          summary: `Edited ${intent.path}, ${count} now`,
          knowledge: { [`${intent.path} (edited in turn ${seen.turn})`]: notes('', kept) },
        }
  },
}
