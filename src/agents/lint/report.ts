import { isObject, tryParse } from '../../core/event/json.ts'
import { linearPattern } from '../../linear-pattern.ts'
import { plainPath } from '../../summarize/place.ts'
import { eachFinding } from '../../summarize/reports/documents.ts'
import { severityOf } from '../../summarize/reports/report.ts'
import type { Edit, LintProblem } from './linter.ts'

/** A problem with the file it is in, as the linter names it: absolute, or relative to where it ran. */
export interface Reported extends LintProblem {
  readonly path: string
}

/** `path:line:column: CODE message`; column and code may be left out. */
const LINES = /^(?<path>.+?):(?<line>\d+):(?:(?<column>\d+):)? (?:(?<code>[A-Z]+\d+) )?(?<message>.*)$/

/** What linters do not fail for. */
const severityIn = (said: unknown) =>
  ['warning', 'info'].includes(severityOf(String(said)) ?? '') ? { isWarning: true as const } : {}

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
  if (report === 'sarif' && !Array.isArray(at(value, 'runs'))) return undefined
  const found: Reported[] = []
  eachFinding(value, ({ path = '', line = 1, column = 1, code, message = '' }, item) => {
    const unnamed = [item['code'], item['ruleId']].includes(null) ? 'syntax' : name
    const said = severityIn(item['severity'] ?? item['level'])
    found.push({
      path: plainPath(path),
      line,
      column,
      code: code ?? unnamed,
      message,
      ...said,
      ...fixIn(item['fix']),
    })
  })
  return found.length === 0 && exit_code > 1 ? undefined : found
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
    return { path, line: Number(line), column: Number(column), code, message, ...severityIn(severity) }
  })

/** A fix that is told with the problem: edits by row and column as ruff has them, or one range as eslint has it. */
function fixIn(fix: unknown): Pick<LintProblem, 'edits' | 'isSafe'> {
  const [from, to, content] = [at(fix, 'range', '0'), at(fix, 'range', '1'), at(fix, 'text')]
  if (typeof from === 'number' && typeof to === 'number' && typeof content === 'string')
    return { edits: [{ from, to, content }], isSafe: true }
  const edits = at(fix, 'edits')
  if (!Array.isArray(edits)) return {}
  return { edits: edits.map(editOf), isSafe: at(fix, 'applicability') === 'safe' }
}

/** An edit of ruff, also of its WebAssembly build. */
export const editOf = (edit: unknown): Edit => ({
  from: placeAt(edit, 'location'),
  to: placeAt(edit, 'end_location'),
  content: String(at(edit, 'content') ?? ''),
})

const placeAt = (edit: unknown, key: string) => ({
  row: Number(at(edit, key, 'row') ?? 1),
  column: Number(at(edit, key, 'column') ?? 1),
})

const at = (value: unknown, ...keys: readonly string[]): unknown =>
  keys.reduce<unknown>(
    (holder, key) => (isObject(holder) || Array.isArray(holder) ? Object(holder)[key] : undefined),
    value,
  )
