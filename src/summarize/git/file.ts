import { type NumberedLine, notes } from '../../packet/notes.ts'
import { pickLines, plural } from '../../text/lines.ts'
import { NOTES_CHARS_MAX } from '../generic.ts'
import type { Summary } from '../summarizer.ts'
import { type GitCall, wordsOf } from './command.ts'

const BLAME =
  /^\^?([0-9a-f]{7,40}) (?:\S{1,300}\s{1,99})?\((.{1,200}?)\s{1,9}(\d{4}-\d\d-\d\d)[^)]{0,40}?(\d{1,9})\) ?(.*)$/
const AUTHORS_MAX = 8

/** `git blame path`: the file's own lines with their numbers, and who last changed them. */
export function readBlame(call: GitCall, lines: readonly string[]): Summary | undefined {
  const path = wordsOf(call).at(-1)
  if (call.subcommand !== 'blame' || path === undefined) return undefined
  const shown: NumberedLine[] = []
  const changes = new Set<string>()
  for (const line of lines) {
    const match = BLAME.exec(line)
    if (!match) continue
    const [, hash, author, date, number, text = ''] = match
    shown.push([Number(number), text])
    changes.add(`${hash} by ${author} on ${date}`)
  }
  const [first] = shown
  const last = shown.at(-1)
  if (!first || !last) return undefined
  return {
    summary: `${path} lines ${first[0]}-${last[0]} come from ${plural(changes.size, 'commit')}: ${[...changes].slice(0, 2).join(', ')}`,
    knowledge: {
      [`${path} (blame)`]: notes('', pickLines(shown, NOTES_CHARS_MAX), [...changes].slice(0, AUTHORS_MAX)),
    },
  }
}

/** `git show REVISION:path`: the file as it was, numbered where the filters leave the count known. */
export function fileAtRevision(call: GitCall, lines: readonly string[]): Summary | undefined {
  const [object, ...others] = wordsOf(call)
  const colon = object?.indexOf(':') ?? -1
  if (call.subcommand !== 'show' || object === undefined || colon < 1 || others.length > 0) return undefined
  const path = object.slice(colon + 1)
  const filled = lines.filter((line) => line.trim() !== '').length
  if (path === '' || filled === 0) return undefined
  const from = firstShown(call)
  const revision = object.slice(0, colon)
  return {
    summary: `Read ${path} at ${revision}, ${plural(filled, 'line')}`,
    knowledge: {
      [`${path} (at ${revision})`]: notes(
        '',
        pickLines(
          lines.map((line, at) => [from === 0 ? 0 : from + at, line]),
          NOTES_CHARS_MAX,
        ),
      ),
    },
  }
}

/** The number of the first line that the filters leave; 0 when they leave lines from here and there. */
function firstShown({ filters }: GitCall): number {
  const [filter, ...others] = filters
  if (filter === undefined) return 1
  if (others.length > 0) return 0
  if (filter.name === 'head' || filter.name === 'cat') return 1
  const range = filter.args.map((arg) => /^(\d{1,9}),\d{1,9}p$/.exec(arg)).find((match) => match !== null)
  return filter.name === 'sed' && range ? Number(range[1]) : 0
}
