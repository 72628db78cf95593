import { type NumberedLine, notes } from '../packet/notes.ts'
import { NOTES_CHARS_MAX, within } from './generic.ts'
import { intentOf } from './intent.ts'
import { cleanLines, pickLines, plural, shortLine } from './lines.ts'
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
    const done =
      intent.kind === 'write' ? `Wrote ${intent.path}, ${count}` : `Edited ${intent.path}, ${count} now`
    const said = seen.text.trim()
    return {
      summary:
        said === '' || shown ? done : `${done}: ${shortLine(said.split('\n', 1)[0] ?? '').slice(0, 100)}`,
      knowledge: {
        [intent.kind === 'write' ? intent.path : `${intent.path} (edited in turn ${seen.turn})`]: notes(
          intent.kind === 'write' ? `written in turn ${seen.turn}, ${count}` : count,
          kept,
        ),
      },
    }
  },
}
