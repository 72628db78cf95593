import type { FileChange } from '../core/event/delta.ts'
import { isObject } from '../core/event/json.ts'
import { FILE_CHARS_MAX } from '../limits.ts'
import { cut } from '../text/cut.ts'
import { firstOf, onOneLine, plural, quoted } from '../text/lines.ts'
import { complaintIn } from './complaint.ts'
import { type Excerpt, numberedExcerpts } from './excerpt.ts'
import { fieldNumber, fieldText } from './fields.ts'
import type { Observation, Summarizer, Summary } from './summarizer.ts'

const FAILED =
  /no replacement was (?:performed|made)|not found in (?:the )?file|(?:string|text|old_str\w*|oldText).{0,60}not found|did not (?:match|appear|find)|could not (?:find|apply|be applied|match)|has not been read|multiple occurrences|found \d+ (?:matches|occurrences)|(?:must|should) be unique|must be different|is required for|(?:patch|hunk).{0,40}(?:fail|does not apply|rejected)|introduced new syntax error|^error\b|unable to|invalid (?:patch|context|line)/im
const WORDS_CHARS = 1_000
const PATHS_SHOWN = 4

/** Text of files was replaced, written or deleted: what stands there now. */
export const edits: Summarizer = {
  name: 'edits',
  summarize(seen) {
    const { intent, changes } = seen.call
    if (intent.kind !== 'change') return undefined
    const [excerpt] = seen.shown.length > FILE_CHARS_MAX ? [] : numberedExcerpts(seen.shown.split('\n'))
    const words = (excerpt ? excerpt.around.join('\n') : seen.shown).slice(0, WORDS_CHARS)
    const partly = changes.filter(({ kind, path }) => kind === 'remove' && !words.includes(path))
    if (seen.outcome === 'error' || FAILED.test(words) || complaintIn(words) !== undefined) {
      const [, first = ''] = /^(?:ERROR:?\s+)?(.*)/i.exec(words) ?? []
      const reason = quoted(cut(onOneLine(first) || (seen.error ?? 'no reason given'), 160))
      return {
        summary: `${intent.path} was not changed: ${reason}`,
        outcome: 'error',
        // Of several files those that are not complained of are gone; nothing else was changed.
        files: words === '' ? [] : partly,
        failedAttempt: cut(`${verbWord(intent.verb)} ${intent.path}: ${reason}`, 200),
      }
    }
    const applied = intent.verb === 'insert' ? insertion(seen, intent.path, excerpt) : changes
    const shownLines: FileChange[] =
      excerpt && intent.verb !== 'write'
        ? [{ kind: 'read', path: intent.path, from: excerpt.from, text: excerpt.lines.join('\n') }]
        : []
    // How a file was changed may not be known; that it was is.
    const changed: FileChange[] =
      applied.length > 0 || shownLines.length === 0
        ? applied.map(firstPart)
        : [{ kind: 'touch', path: intent.path }]
    const files = [...changed, ...shownLines]
    return {
      summary: editSentence(intent.path, intent.verb, applied, excerpt),
      // What a shell prints besides is its own; an editing tool only confirms.
      ...(seen.call.programs.length > 0 && seen.shown !== '' && !excerpt ? {} : { output: null }),
      ...(files.length > 0 ? { files } : {}),
    } satisfies Summary
  },
}

const verbWord = (verb: string): string =>
  ({ edit: 'Edit of', insert: 'Insertion into', write: 'Writing', remove: 'Removal of' })[verb] ?? verb

/** Very long text is known by its beginning. */
const firstPart = (change: FileChange): FileChange =>
  change.kind === 'write' && change.text.length > FILE_CHARS_MAX
    ? { ...change, text: change.text.slice(0, change.text.lastIndexOf('\n', FILE_CHARS_MAX) + 1) }
    : change

/** Text put behind a line: told by the lines before it, which the tool's excerpt shows. */
function insertion({ args }: Observation, path: string, excerpt: Excerpt | undefined): FileChange[] {
  if (!isObject(args) || excerpt === undefined) return []
  const line = fieldNumber(args, ['insert_line', 'insertLine']) ?? 0
  const text = fieldText(args, ['new_str', 'text', 'content', 'insert_text'])
  const above = excerpt.lines.slice(0, Math.max(0, line - excerpt.from + 1)).join('\n')
  if (text === undefined || above.trim() === '') return []
  return [{ kind: 'edit', path, before: above, after: `${above}\n${text.replace(/\n$/, '')}` }]
}

function editSentence(
  path: string,
  verb: 'edit' | 'insert' | 'write' | 'remove',
  applied: readonly FileChange[],
  excerpt: Excerpt | undefined,
): string {
  const paths = [...new Set(applied.map((change) => change.path))]
  if (verb === 'remove' && applied.length > 0) return `Removed ${firstOf(paths, PATHS_SHOWN)}`
  if (paths.length > 1) return `Changed ${plural(paths.length, 'file')}: ${firstOf(paths, PATHS_SHOWN)}`
  const [only] = applied
  if (only?.kind === 'write') return `Wrote ${only.path}: ${plural(linesIn(only.text), 'line')}`
  if (verb === 'remove') return `Removed ${path}`
  const edited = applied.flatMap((change) => (change.kind === 'edit' ? [change] : []))
  const [edit] = edited
  if (edit === undefined) return excerpt ? `Edited ${path} around line ${excerpt.from}` : `Edited ${path}`
  const places = edited.length > 1 ? ` in ${edited.length} places` : edit.all ? ' wherever it stands' : ''
  const before = sum(edited.map((change) => linesIn(change.before)))
  const after = sum(edited.map((change) => linesIn(change.after)))
  if (verb === 'insert') return `Edited ${path}: ${plural(after - before, 'line')} inserted`
  const now = after === 0 ? 'were removed' : `became ${after}`
  return `Edited ${path}${places}: ${plural(before, 'line')} ${before === 1 ? now.replace('were', 'was') : now}`
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0)

const linesIn = (text: string): number => (text === '' ? 0 : text.replace(/\n$/, '').split('\n').length)
