import { isObject, tryParse } from '../../core/event/json.ts'
import { linearPattern } from '../../linear-pattern.ts'
import type { Edit, LintProblem } from './linter.ts'

/** A problem with the file it is in, as the linter names it: absolute, or relative to where it ran. */
export interface Reported extends LintProblem {
  readonly path: string
}

/** `path:line:column: CODE message`; column and code may be left out. */
const LINES = /^(?<path>.+?):(?<line>\d+):(?:(?<column>\d+):)? (?:(?<code>[A-Z]+\d+) )?(?<message>.*)$/
/** How linters call what they do not fail for; eslint has numbers. */
const WARNINGS: ReadonlySet<unknown> = new Set([
  1,
  'warning',
  'warn',
  'note',
  'notice',
  'info',
  'information',
  'hint',
  'advice',
])
const severityOf = (said: unknown) => (WARNINGS.has(said) ? { isWarning: true as const } : {})

/** Reads what a check wrote; undefined where it is no report. `name` stands for a code where none is given. */
export function readCheck(
  report: string,
  stdout: string,
  exit_code: number,
  name: string,
): Reported[] | undefined {
  if (report !== 'json' && report !== 'sarif') {
    const found = inLines(report === 'lines' ? plainGroups : ownGroups(report), stdout, name)
    // What ends with an error and names none could not look.
    return found.length === 0 && exit_code !== 0 ? undefined : found
  }
  // Other tools write around it.
  const [start, end] = [stdout.search(/[[{]/), Math.max(stdout.lastIndexOf('}'), stdout.lastIndexOf(']'))]
  const value = start === -1 ? undefined : tryParse(stdout.slice(start, end + 1))
  if (typeof value !== 'object' || value === null) return undefined
  const found = report === 'json' ? inJson(value, undefined, name) : inSarif(value, name)
  return found?.length === 0 && exit_code > 1 ? undefined : found
}

/** What the named groups of a pattern hold of a line; undefined where it does not match. */
type GroupsOf = (line: string) => Readonly<Record<string, string>> | undefined

const plainGroups: GroupsOf = (line) => LINES.exec(line)?.groups

/** A project's own pattern: one that RegExp would try in ever more ways must not stop a run. */
function ownGroups(source: string): GroupsOf {
  const pattern = linearPattern(source)
  return (line) => {
    const matcher = pattern.matcher(line)
    if (!matcher.find()) return undefined
    const groups = Object.entries(matcher.getNamedGroups())
    return Object.fromEntries(groups.flatMap(([name, text]) => (text === null ? [] : [[name, text]])))
  }
}

const inLines = (groupsOf: GroupsOf, stdout: string, name: string): Reported[] =>
  stdout.split('\n').flatMap((text) => {
    const groups = groupsOf(text.trimEnd()) ?? {}
    const { path, line, column = 1, code = name, message, severity } = groups
    if (path === undefined || message === undefined) return []
    return { path, line: Number(line), column: Number(column), code, message, ...severityOf(severity) }
  })

function inSarif(log: unknown, name: string): Reported[] | undefined {
  if (!isObject(log) || !Array.isArray(log['runs'])) return undefined
  const results = log['runs'].flatMap((run) => (isObject(run) ? run['results'] : undefined) ?? [])
  return results.flatMap((result) => {
    const place = valueAt(result, 'locations', '0', 'physicalLocation')
    const uri = textUnder(place, [['artifactLocation', 'uri']])
    const message = textUnder(result, [
      ['message', 'text'],
      ['message', 'markdown'],
    ])
    if (uri === undefined || message === undefined) return []
    const path = decodeURIComponent(uri.replace(/^file:\/\//, ''))
    const code = textUnder(result, [['ruleId'], ['rule', 'id']]) ?? name
    const [line = 1, column = 1] = [
      numberAt(place, [['region', 'startLine']]),
      numberAt(place, [['region', 'startColumn']]),
    ]
    return { path, code, message, line, column, ...severityOf(valueAt(result, 'level')) }
  })
}

const PATHS = [['filename'], ['filePath'], ['file'], ['path'], ['location', 'path'], ['location', 'file']]
const CODES = [['code'], ['ruleId'], ['rule'], ['rule_id'], ['symbol'], ['category'], ['check_id']]
const ROWS = [
  ...[['line'], ['row'], ['location', 'row'], ['location', 'line'], ['location', 'start', 'line']],
  ...[['start', 'line'], ['labels', '0', 'span', 'line'], ['lineNumber'], ['startLine']],
]
const COLUMNS = [
  ...[['column'], ['col'], ['location', 'column'], ['location', 'start', 'column'], ['start', 'column']],
  ...[['start', 'col'], ['labels', '0', 'span', 'column'], ['startColumn']],
]

/** Every object, however deep, that has a message and a place or a rule; the file may be named by what holds it. */
function inJson(value: unknown, file: string | undefined, name: string): Reported[] {
  if (Array.isArray(value)) return value.flatMap((one) => inJson(one, file, name))
  if (!isObject(value)) return []
  const path = textUnder(value, PATHS) ?? file
  const message = textUnder(value, [['message'], ['description'], ['text'], ['extra', 'message']])
  const [code, line] = [textUnder(value, CODES), numberAt(value, ROWS)]
  if (path === undefined || message === undefined || (code ?? line) === undefined)
    return Object.entries(value).flatMap(([key, one]) =>
      key === 'suppressedMessages' ? [] : inJson(one, path, name),
    )
  // Where a rule has no name it could not look at the file: it does not parse.
  const column = numberAt(value, COLUMNS) ?? 1
  const known = { path, message, line: line ?? 1, column, ...severityOf(value['severity']) }
  const unnamed = CODES.some(([key = '']) => value[key] === null) ? 'syntax' : name
  return [{ ...known, code: code ?? unnamed, ...fixIn(value['fix']) }]
}

/** A fix that is told with the problem: edits by row and column as ruff has them, or one range as eslint has it. */
function fixIn(fix: unknown): Pick<LintProblem, 'edits' | 'isSafe'> {
  const [start, end] = [valueAt(fix, 'range', '0'), valueAt(fix, 'range', '1')]
  const text = valueAt(fix, 'text')
  if (typeof start === 'number' && typeof end === 'number' && typeof text === 'string')
    return { edits: [{ from: start, to: end, content: text }], isSafe: true }
  const edits = valueAt(fix, 'edits')
  if (!Array.isArray(edits)) return {}
  const isSafe = valueAt(fix, 'applicability') === 'safe'
  return { edits: edits.map(editOf), isSafe }
}

/** An edit of ruff, also of its WebAssembly build. */
export const editOf = (edit: unknown): Edit => ({
  from: placeAt(edit, 'location'),
  to: placeAt(edit, 'end_location'),
  content: textUnder(edit, [['content']]) ?? '',
})

const placeAt = (edit: unknown, key: string) => ({
  row: numberAt(edit, [[key, 'row']]) ?? 1,
  column: numberAt(edit, [[key, 'column']]) ?? 1,
})

const valueAt = (value: unknown, ...keys: readonly string[]): unknown =>
  keys.reduce<unknown>(
    (holder, key) => (typeof holder === 'object' && holder !== null ? Object(holder)[key] : undefined),
    value,
  )

const textUnder = (value: unknown, ways: readonly string[][]): string | undefined =>
  ways.map((way) => valueAt(value, ...way)).find((one) => typeof one === 'string' && one !== '') as
    | string
    | undefined

const numberAt = (value: unknown, ways: readonly string[][]): number | undefined =>
  ways.map((way) => valueAt(value, ...way)).find((one) => typeof one === 'number') as number | undefined
