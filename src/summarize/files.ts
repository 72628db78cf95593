import { FILE_CHARS_MAX } from '../limits.ts'
import { plural } from '../text/lines.ts'
import type { ReadIntent } from './call/intent.ts'
import { placeWords } from './call/label.ts'
import { complaintIn } from './complaint.ts'
import { type Excerpt, looksNumbered, numberedExcerpts, plainExcerpt } from './excerpt.ts'
import type { Summarizer, Summary } from './summarizer.ts'
import { linesWithin } from './within.ts'

/** A file, or a part of it, was read: its lines as they stand there. */
export const fileRead: Summarizer = {
  name: 'file-read',
  summarize({ call, shown, outcome }) {
    const { intent } = call
    if (outcome === 'error' || intent.kind === 'change') return undefined
    if (intent.kind !== 'read') return viewed(shown)
    const place = placeWords(intent.path, intent.from, intent.to)
    const counted = (count: number) => ({ summary: `Read ${place}: ${plural(count, 'line')}` })
    const problem = complaintIn(shown)
    if (problem !== undefined) return { summary: `${place} was not read: ${problem}`, outcome: 'error' }
    if (shown.trim() === '') return { summary: emptyWords(intent), output: null }
    // The end of a very long text would have no place in a delta.
    if (shown.length > FILE_CHARS_MAX) return counted(linesWithin(shown).total)
    const lines = shown.split('\n')
    const excerpts = intent.numbers === false ? [] : numberedExcerpts(lines)
    if (excerpts.length > 0) return readSummary(intent.path, excerpts)
    const plain = plainLines(lines, intent)
    return plain === undefined ? counted(lines.length) : readSummary(intent.path, [plain.excerpt], plain.rest)
  },
}

const emptyWords = ({ path, from }: ReadIntent): string =>
  from === undefined || from <= 1 ? `${path} is empty` : `${path} has no line ${from}`

/** A viewer that names its file, whatever the call was: `[File: src/a.ts (118 lines total)]`. */
function viewed(shown: string): Summary | undefined {
  if (shown.length > FILE_CHARS_MAX || !/^\[File: |`cat -n` on /m.test(shown.slice(0, 2_000)))
    return undefined
  const excerpts = numberedExcerpts(shown.split('\n'))
  const [first] = excerpts
  if (first?.path === undefined) return undefined
  const edited = first.around.some((line) => /\b(?:edited|updated|after edit)\b/i.test(line))
  const summary = readSummary(first.path, excerpts)
  if (!edited) return summary
  return {
    ...summary,
    summary: `Edited ${first.path} around line ${first.from}`,
    files: [{ kind: 'touch', path: first.path }, ...(summary.files ?? [])],
  }
}

function plainLines(lines: readonly string[], intent: ReadIntent): ReturnType<typeof plainExcerpt> {
  const { from = 1, to, numbers } = intent
  if (from === 0 || (numbers ?? looksNumbered(lines))) return undefined
  const plain = plainExcerpt(lines, from)
  // More lines than were asked for are not only the file's.
  return plain && to !== undefined && plain.excerpt.lines.length > to - from + 1 ? undefined : plain
}

function readSummary(path: string, excerpts: readonly Excerpt[], rest: readonly string[] = []): Summary {
  const [first] = excerpts
  const last = excerpts.at(-1)
  const end = last === undefined ? 0 : last.from + last.lines.length - 1
  const summary = `Read ${placeWords(path, first?.from, end)}${excerpts.length > 1 || rest.length > 0 ? ', then cut' : ''}`
  const files = excerpts.map(({ from, lines }) => ({
    kind: 'read' as const,
    path,
    from,
    text: lines.join('\n'),
  }))
  return { summary, files, output: rest.length > 0 ? rest.join('\n') : null }
}
