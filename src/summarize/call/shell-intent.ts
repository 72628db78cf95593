import type { FileChange } from '../../core/event/delta.ts'
import { isQuiet, joinPath, type Program, plainWords, type ShellCommand } from '../../text/shell.ts'
import type { Intent } from './intent.ts'
import { isInPlace } from './shell-changes.ts'

const READERS = new Set(['cat', 'nl', 'head', 'tail', 'less', 'more', 'bat', 'sed', 'awk'])
const SEARCHERS = new Set(['grep', 'rg', 'egrep', 'fgrep', 'ag', 'ack', 'zgrep'])
const LISTERS = new Set(['ls', 'find', 'tree', 'fd', 'dir', 'du'])
/** `git grep` searches and `git ls-files` lists as the programs without git do. */
const GIT_KIN: Readonly<Record<string, string>> = { grep: 'grep', 'ls-files': 'ls', 'ls-tree': 'ls' }

/** What a shell command is for, when all that it shows comes from one program; otherwise it runs something. */
export function shellIntent(command: string, programs: ShellCommand, changes: readonly FileChange[]): Intent {
  const shown = programs.filter((pipeline) => !isSilent(pipeline))
  const verb = verbOf(programs.flat())
  const [change] = changes
  if (change && verb && shown.length === 0) return { kind: 'change', path: change.path, verb }
  const [only] = shown
  const read =
    shown.length === 1 && only && changes.length === 0 && !programs.some(hasHeading)
      ? readingIntent(only.map(plainProgram))
      : undefined
  return read ?? { kind: 'run', command }
}

/** What programs that show nothing do to files; undefined where they only move or fill them. */
function verbOf(programs: readonly Program[]): 'edit' | 'write' | 'remove' | undefined {
  if (programs.some(({ input, into, name }) => input !== undefined && (into !== undefined || name === 'tee')))
    return 'write'
  if (
    programs.some(
      (program) => isInPlace(program) || program.name === 'apply_patch' || program.name === 'patch',
    )
  )
    return 'edit'
  return programs.some(({ name }) => name === 'rm') ? 'remove' : undefined
}

/** Shows nothing: its output goes to a file, or it has none. */
const isSilent = (pipeline: readonly Program[]): boolean => {
  const last = pipeline.at(-1)
  if (last === undefined || last.into !== undefined) return true
  return (
    (isQuiet(last) && !'echo printf pwd which'.includes(last.name)) || isInPlace(last) || last.name === 'tee'
  )
}

const hasHeading = ([first]: readonly Program[]): boolean =>
  first !== undefined && first.into === undefined && 'echo printf pwd which'.includes(first.name)

function plainProgram(program: Program): Program {
  const name = program.name === 'git' ? GIT_KIN[program.args[0] ?? ''] : undefined
  return name === undefined ? program : { ...program, name, args: program.args.slice(1) }
}

function readingIntent(pipeline: readonly Program[]): Intent | undefined {
  const [first] = pipeline
  if (!first) return undefined
  const search = pipeline.find((program) => SEARCHERS.has(program.name))
  if (search && (READERS.has(first.name) || search === first)) return searchIntent(first, search)
  if (LISTERS.has(first.name) && !first.args.includes('-exec'))
    return { kind: 'list', path: joinPath(first.folder, plainWords(first.args)[0] ?? '.') }
  return READERS.has(first.name) ? fileIntent(pipeline, first) : undefined
}

/** Options of searchers that are followed by their value. */
const TAKES_VALUE = /^(-[ABCmefgt]|--(include|exclude|glob|type|regexp|max-count|context))$/

function searchIntent(first: Program, search: Program): Intent {
  const given = search.args.findIndex((arg) => arg === '-e' || arg === '--regexp')
  const words = search.args.filter(
    (arg, at, all) => !arg.startsWith('-') && !TAKES_VALUE.test(all[at - 1] ?? ''),
  )
  if (given !== -1) words.unshift(search.args[given + 1] ?? '')
  const paths = search === first ? words.slice(1) : plainWords(first.args)
  const [only] = paths
  return {
    kind: 'search',
    pattern: words[0] ?? '',
    ...(only !== undefined && paths.length === 1 ? { path: joinPath(first.folder, only) } : {}),
  }
}

/** One file, from a known line on; several, or lines from here and there, are output like any other. */
function fileIntent(pipeline: readonly Program[], first: Program): Intent | undefined {
  const paths = first.args.filter((arg, at, all) => isFile(arg) && !/^-[ncve]$/.test(all[at - 1] ?? ''))
  const scripted =
    first.name === 'sed' || first.name === 'awk' ? paths.filter((arg) => !isScript(arg)) : paths
  const [path] = scripted
  if (path === undefined || scripted.length > 1 || /[*?]/.test(path)) return undefined
  let shown: { from: number; to?: number } = { from: 1 }
  for (const program of pipeline) {
    const range = shownRange(program)
    if (range === undefined) return undefined
    const { from } = shown
    const [start, end] = [range.from === 0 ? 0 : from + range.from - 1, range.to]
    shown = { from: from === 0 ? 0 : start, ...(end === undefined ? {} : { to: from + end - 1 }) }
  }
  const whole = shown.from === 1 && shown.to === undefined
  const numbers = pipeline.some(numbersLines)
  return { kind: 'read', path: joinPath(first.folder, path), ...(whole ? {} : shown), numbers }
}

const numbersLines = ({ name, args }: Program): boolean =>
  name === 'nl' ||
  (name === 'cat' && args.some((arg) => /^-\w*n|^--number/.test(arg))) ||
  (name === 'awk' && args.some((arg) => /\{.*\bNR\b/.test(arg)))

/** A path, not an option or a number. */
const isFile = (arg: string): boolean => !arg.startsWith('-') && !/^\+?\d+$/.test(arg)

const isScript = (arg: string): boolean => /^[\d,$]+[pq]?(?:;|$)|^NR|[{}]/.test(arg)

/** The lines that a program leaves of what it is given; undefined when they are from here and there. */
function shownRange({ name, args }: Program): { from: number; to?: number } | undefined {
  if (name === 'cat' || name === 'nl' || name === 'bat' || name === 'less' || name === 'more')
    return { from: 1 }
  const text = args.join(' ')
  if (name === 'head') {
    const count = /(?:^|\s)-(?:n ?|-lines=)?(\d+)\b/.exec(text)?.[1]
    return text.includes('-c') ? undefined : { from: 1, to: count === undefined ? 10 : Number(count) }
  }
  if (name === 'tail') {
    const start = /(?:^|\s)(?:-n ?)?\+(\d+)/.exec(text)?.[1]
    return { from: start === undefined ? 0 : Number(start) }
  }
  if (name === 'sed' || name === 'awk') {
    const script = args.find(isScript) ?? ''
    const range =
      /^(\d+)(?:,(\d+|\$))?p?(?:;\d+q)?$/.exec(script) ??
      /^NR ?>= ?(\d+) ?&& ?NR ?<= ?(\d+)\b/.exec(script) ??
      /^NR==(\d+),NR==(\d+)$/.exec(script)
    if (!range || (name === 'sed' && !args.some((arg) => /^-\w*n/.test(arg)))) return undefined
    const to = name === 'sed' && !script.includes(',') ? range[1] : range[2]
    return { from: Number(range[1]), ...(to === undefined || to === '$' ? {} : { to: Number(to) }) }
  }
  return undefined
}
