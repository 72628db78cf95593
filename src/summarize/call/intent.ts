import { isObject, type Json } from '../../event/json.ts'
import { type Program, readShell } from '../../text/shell.ts'

/** What a call was for, told from the shape of its arguments and, for a shell, from what it runs. */
export type Intent =
  | { readonly kind: 'read'; readonly path: string; readonly from?: number; readonly to?: number }
  | { readonly kind: 'search'; readonly pattern: string; readonly path?: string }
  | { readonly kind: 'list'; readonly path: string }
  | { readonly kind: 'edit'; readonly path: string; readonly before: string; readonly after: string }
  | { readonly kind: 'write'; readonly path: string; readonly content: string }
  | { readonly kind: 'run'; readonly command: string; readonly program: Program | undefined }
  | { readonly kind: 'other' }

const PATH = [
  'file_path',
  'path',
  'filepath',
  'filename',
  'file',
  'absolute_path',
  'target_file',
  'notebook_path',
  'file_name',
]
const CONTENT = ['content', 'file_text', 'contents', 'new_content', 'code_edit', 'text']
const BEFORE = ['old_string', 'old_str', 'search', 'old_text', 'oldText', 'find']
const AFTER = ['new_string', 'new_str', 'replace', 'new_text', 'newText', 'replacement']
/** Names that mean an edit only both together: one of them alone may be a date, a cursor or a version. */
const REPLACED: readonly (readonly [string, string])[] = [
  ['old', 'new'],
  ['before', 'after'],
  ['original', 'updated'],
  ['original', 'modified'],
  ['old_code', 'new_code'],
  ['old_content', 'new_content'],
  ['oldString', 'newString'],
]
const COMMAND = ['command', 'cmd', 'script', 'bash', 'shell_command']
const PATTERN = ['pattern', 'regex', 'query', 'search_term', 'search_string', 'glob']

/** Tools differ in their names far more than in what they ask for: so the arguments decide. */
export function intentOf(args: Json): Intent {
  if (typeof args === 'string') return shellIntent(args)
  if (!isObject(args)) return { kind: 'other' }
  const command = text(args, COMMAND)
  const path = text(args, PATH)
  if (command !== undefined && path === undefined) return shellIntent(command)
  const after = text(args, AFTER)
  if (path !== undefined && after !== undefined)
    return { kind: 'edit', path, before: text(args, BEFORE) ?? '', after }
  const replaced = path === undefined ? undefined : replacedIn(args)
  if (path !== undefined && replaced) return { kind: 'edit', path, ...replaced }
  const content = text(args, CONTENT)
  if (path !== undefined && content !== undefined) return { kind: 'write', path, content }
  const pattern = text(args, PATTERN)
  if (pattern !== undefined) return { kind: 'search', pattern, ...(path === undefined ? {} : { path }) }
  return path === undefined ? { kind: 'other' } : { kind: 'read', path, ...rangeOf(args) }
}

function text(args: Record<string, unknown>, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = args[name]
    if (typeof value === 'string' && value !== '') return value
  }
  return undefined
}

function replacedIn(args: Record<string, unknown>): { before: string; after: string } | undefined {
  for (const [old, now] of REPLACED) {
    const [before, after] = [args[old], args[now]]
    if (typeof before !== 'string' || typeof after !== 'string' || before === after) continue
    if (!isDate(before) && !isDate(after)) return { before, after }
  }
  return undefined
}

/** A history between two days has a path too. */
const isDate = (value: string): boolean => /^\d{4}-\d\d/.test(value)

function rangeOf(args: Record<string, unknown>): { from?: number; to?: number } {
  const range = args['view_range'] ?? args['range'] ?? args['lines']
  if (Array.isArray(range) && typeof range[0] === 'number') {
    return { from: range[0], ...(typeof range[1] === 'number' && range[1] > 0 ? { to: range[1] } : {}) }
  }
  const from = number(args, ['start_line', 'line_start', 'from_line', 'offset', 'line', 'start'])
  if (from === undefined) return {}
  const limit = number(args, ['limit', 'line_count', 'num_lines'])
  const to =
    number(args, ['end_line', 'line_end', 'to_line', 'end']) ??
    (limit === undefined ? undefined : from + limit - 1)
  return { from, ...(to === undefined ? {} : { to }) }
}

function number(args: Record<string, unknown>, names: readonly string[]): number | undefined {
  for (const name of names) {
    const value = args[name]
    if (typeof value === 'number' && Number.isInteger(value) && value > 0) return value
  }
  return undefined
}

const READERS = new Set(['cat', 'nl', 'head', 'tail', 'less', 'more', 'bat', 'sed', 'awk'])
const SEARCHERS = new Set(['grep', 'rg', 'egrep', 'fgrep', 'ag', 'ack', 'zgrep'])
const LISTERS = new Set(['ls', 'find', 'tree', 'fd', 'dir', 'du'])

/** The last pipeline that shows something decides: what stands before it prepared for it. */
function shellIntent(command: string): Intent {
  const pipelines = readShell(command).map((pipeline) => pipeline.map(plainProgram))
  const shown = pipelines.findLast(
    (pipeline) => pipeline.at(-1)?.into === undefined && pipeline[0]?.name !== 'echo',
  )
  const first = shown?.[0]
  if (pipelines.length === 1 || !pipelines.some((pipeline) => pipeline.some(writes))) {
    const single = pipelines.length === 1 || sameProgram(pipelines.flat())
    if (single && shown) return readingIntent(shown) ?? { kind: 'run', command, program: first }
  }
  const writer = pipelines.flat().find(writes)
  if (writer && !first) return writeIntent(writer)
  return { kind: 'run', command, program: first ?? writer }
}

const GIT_KIN: Readonly<Record<string, string>> = { grep: 'grep', 'ls-files': 'ls', 'ls-tree': 'ls' }

/** `git grep` searches and `git ls-files` lists as the programs without git do. */
function plainProgram(program: Program): Program {
  const name = program.name === 'git' ? GIT_KIN[program.args[0] ?? ''] : undefined
  return name === undefined ? program : { ...program, name, args: program.args.slice(1) }
}

const sameProgram = (programs: readonly Program[]): boolean =>
  new Set(programs.map((program) => program.name)).size === 1

const writes = (program: Program): boolean =>
  program.into !== undefined ||
  program.name === 'tee' ||
  (program.name === 'sed' && program.args.some((arg) => /^-i|--in-place/.test(arg)))

function writeIntent(program: Program): Intent {
  const path = program.into ?? program.args.findLast((arg) => !arg.startsWith('-')) ?? ''
  if (program.name === 'sed')
    return { kind: 'edit', path, before: '', after: program.args.filter((arg) => arg !== path).join(' ') }
  return { kind: 'write', path, content: program.input ?? program.args.join(' ') }
}

function readingIntent(pipeline: readonly Program[]): Intent | undefined {
  const [first] = pipeline
  if (!first || first.into !== undefined) return undefined
  // A filter behind a reader (`cat f | grep x`, `nl f | sed -n 1,9p`) still shows parts of the file.
  const search = pipeline.find((program) => SEARCHERS.has(program.name))
  if (search && (READERS.has(first.name) || search === first)) return searchIntent(first, search)
  if (LISTERS.has(first.name))
    return { kind: 'list', path: first.args.filter((arg) => !arg.startsWith('-'))[0] ?? '.' }
  if (READERS.has(first.name) && first.name !== 'awk') return fileIntent(pipeline)
  return undefined
}

/** Options of searchers that are followed by their value. */
const TAKES_VALUE = /^(-[ABCmefgt]|--(include|exclude|glob|type|regexp|max-count|context))$/

function searchIntent(first: Program, search: Program): Intent {
  const given = search.args.findIndex((arg) => arg === '-e' || arg === '--regexp')
  const words = search.args.filter(
    (arg, at, all) => !arg.startsWith('-') && !TAKES_VALUE.test(all[at - 1] ?? ''),
  )
  if (given !== -1) words.unshift(search.args[given + 1] ?? '')
  const paths = search === first ? words.slice(1) : first.args.filter((arg) => !arg.startsWith('-'))
  const [only] = paths
  return {
    kind: 'search',
    pattern: words[0] ?? '',
    ...(only !== undefined && paths.length === 1 ? { path: only } : {}),
  }
}

function fileIntent(pipeline: readonly Program[]): Intent | undefined {
  const paths = (pipeline[0]?.args ?? []).filter(
    (arg, at, all) => isFile(arg) && !/^-[nc]$/.test(all[at - 1] ?? ''),
  )
  const [path] = paths
  if (path === undefined || paths.length > 1) return undefined
  return { kind: 'read', path, ...shownRange(pipeline) }
}

/** A path, not an option, a number or a sed script. */
const isFile = (arg: string): boolean =>
  !arg.startsWith('-') && !/^\d+$/.test(arg) && !/^[\d,$]+[pq]?(;.*)?$/.test(arg)

/** The lines that `sed -n A,Bp`, `head -N` leave; a reader with none shows the file from line 1. */
function shownRange(pipeline: readonly Program[]): { from?: number; to?: number } {
  for (const { name, args } of pipeline) {
    if (name === 'sed') {
      const range = args.map((arg) => /^(\d+),(\d+)p/.exec(arg)).find((match) => match !== null)
      if (range) return { from: Number(range[1]), to: Number(range[2]) }
    }
    if (name === 'tail') return { from: 0 }
  }
  return {}
}
