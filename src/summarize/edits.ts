import { type NumberedLine, notes } from '../packet/notes.ts'
import { pickLines, plural } from '../text/lines.ts'
import { intentOf } from './call/intent.ts'
import { NOTES_CHARS_MAX } from './generic.ts'
import { ownNumbers } from './numbered.ts'
import type { Summarizer } from './summarizer.ts'
import { lookAt } from './within.ts'

/** A file was changed: what stands there now, from the tool's own excerpt or from what the call wrote. */
export const edits: Summarizer = {
  name: 'edits',
  summarize(seen) {
    const intent = intentOf(seen.args)
    if ((intent.kind !== 'edit' && intent.kind !== 'write') || seen.outcome === 'error') return undefined
    const written = intent.kind === 'edit' ? intent.after : intent.content
    const shown = ownNumbers(lookAt(seen.text).lines)
    const { lines, lineOf } = lookAt(written)
    const own = lines.map((line, at): NumberedLine => [intent.kind === 'write' ? lineOf(at) + 1 : 0, line])
    const kept = pickLines(shown && shown.length > 2 ? shown : own, NOTES_CHARS_MAX)
    const count = plural(lineOf(lines.length - 1) + 1, 'line')
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
