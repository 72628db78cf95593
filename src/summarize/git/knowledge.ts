import type { Json } from '../../event/json.ts'
import { notes } from '../../packet/notes.ts'
import { cut } from '../../text/cut.ts'
import { breakLong, pickLines, unnumbered } from '../../text/lines.ts'
import { NOTES_CHARS_MAX } from '../generic.ts'
import type { GitCall } from './command.ts'
import type { FileChange } from './diff.ts'
import type { Commit } from './log.ts'
import type { GitOutput } from './output.ts'
import { inSigns } from './stat.ts'
import type { Status } from './status.ts'

const APART_MAX = 8
const INSIDE_MAX = 8
const KEY_CHARS_MAX = 80
/** Messages of so few commits are kept whole. */
const WITH_BODY_MAX = 3

type Entries = Record<string, Json>

/** What git's output tells, by subject: files for themselves, the status, then lists and what is left over. */
export function gitKnowledge(output: GitOutput, calls: readonly GitCall[], label: string): Entries {
  const { changes, files, status, commits, rest } = output
  const lists = new Map<string, string[]>()
  const list = (key: string, lines: readonly string[]) =>
    lists.set(key, [...(lists.get(key) ?? []), ...lines])
  if (changes.length > APART_MAX) list(keyOf(calls, ['diff', 'show'], label), changes.map(inOneLine))
  list(
    keyOf(calls, ['diff', 'show', 'log'], label),
    files.map(({ path, change }) => `${path} ${change}`.trim()),
  )
  list(keyOf(calls, ['log', 'show', 'reflog'], label), commitLines(commits))
  list(label, breakLong(rest))
  const told = [...lists].map(([key, lines]) => [key, pickLines(unnumbered(lines), NOTES_CHARS_MAX)] as const)
  return {
    ...(changes.length <= APART_MAX ? apart(changes) : {}),
    ...(status ? { [statusKey(calls)]: statusNotes(status) } : {}),
    ...Object.fromEntries(
      told.flatMap(([key, lines]) => (lines.length > 0 ? [[key, notes('', lines)]] : [])),
    ),
  }
}

const statusNotes = ({ branch, asides, entries }: Status): Json =>
  notes(
    [...(branch ? [`on ${branch}`] : []), ...asides, ...(entries.length === 0 ? ['clean'] : [])].join(', '),
    pickLines(unnumbered(entries.map(({ state, path }) => `${state} ${path}`)), NOTES_CHARS_MAX),
  )

/** The call that a part came from, without the folder it ran in; the whole command where that is not sure. */
function keyOf(calls: readonly GitCall[], subcommands: readonly string[], label: string): string {
  const [call, ...others] = calls.filter(({ subcommand }) => subcommands.includes(subcommand))
  return call && others.length === 0
    ? cut(['git', call.subcommand, ...call.args].join(' '), KEY_CHARS_MAX)
    : label
}

/** Several repositories have a state each. */
function statusKey(calls: readonly GitCall[]): string {
  const folder = calls.find(({ subcommand }) => subcommand === 'status')?.folder ?? ''
  return folder === '' ? 'git status' : `git status in ${folder}`
}

/** Few files: new-side lines with their numbers stand with whatever else is known of the file. */
const apart = (changes: readonly FileChange[]): Entries =>
  Object.fromEntries(
    changes.flatMap(({ path, state, lines, gone, inside }) => {
      const shown = pickLines(lines, NOTES_CHARS_MAX / 2)
      const removed = pickLines(unnumbered(gone), NOTES_CHARS_MAX / 4)
      const names = inside.slice(0, INSIDE_MAX)
      return [
        [`${path} (diff)`, notes('', shown.length > 0 ? shown : [[0, state]], names)],
        ...(removed.length > 0 ? [[`${path} (removed by the diff)`, notes('', removed)]] : []),
      ]
    }),
  )

/** One of many files: where it changed. */
function inOneLine({ path, state, added, removed, hunks, inside }: FileChange): string {
  const places = hunks.slice(0, INSIDE_MAX).map(([from, to]) => `${from}-${to}`)
  return [
    `${path} ${state === 'modified' ? '' : `${state} `}${inSigns(added, removed)}`,
    ...(places.length > 0 ? [`lines ${places.join(' ')}`] : []),
    ...inside.slice(0, 2),
  ].join(', ')
}

const commitLines = (commits: readonly Commit[]): string[] =>
  commits.flatMap(({ hash, refs, subject, author, date, body }) => [
    `${hash}${refs ? ` (${refs})` : ''} ${subject}${author && commits.length <= WITH_BODY_MAX ? `, by ${author}, ${date}` : ''}`,
    ...(commits.length <= WITH_BODY_MAX ? body : []),
  ])
