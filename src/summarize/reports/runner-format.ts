import { plural } from '../../text/lines.ts'
import { readPlace } from '../place.ts'
import type { Output } from './output.ts'
import {
  addFinding,
  type Finding,
  type Groups,
  matched,
  newFindings,
  type Reader,
  type Report,
  reportOf,
} from './report.ts'
import { type Count, countOf, countsIn } from './test-counts.ts'

/** A test runner that writes lines of a form of its own. All patterns are for one line. */
export interface RunnerFormat {
  readonly tool: string
  /** Commands that ask for it, without options, separated by commas. */
  readonly names: string
  readonly recognises: (text: string) => boolean
  /** Lines with counts: `5 passed, 1 failed`, `errors=2`, `# fail 1`. Those of several runs are summed. */
  readonly totals: readonly RegExp[]
  /** How one test ended: the groups mark, test and path, or `marks` with one character a test. */
  readonly results?: readonly RegExp[]
  /** A line that stands for one error besides the tests. */
  readonly error?: RegExp
  /** Lines that stand for a package whose tests passed, which are not listed: noted. */
  readonly packageOk?: RegExp
  /** The runner's own list of what failed: the groups test, path or place, and message. */
  readonly listed?: readonly RegExp[]
  /** What it does not list did not fail, whatever its details. */
  readonly listsAll?: true
  /** Where the details of a failing test begin: the groups test, path, place and message. */
  readonly heads: readonly RegExp[]
  /** The line before a head must be of this form. */
  readonly beforeHead?: RegExp
  /** The details stand above their head. */
  readonly above?: true
  /** The file of the tests below it: the group path. */
  readonly file?: RegExp
  /** The line after the details. */
  readonly end?: RegExp
  /** The group message, or nothing where it is on the next line. Without a pattern the first line with text is it. */
  readonly message?: RegExp
  /** Only below a place: what stands above it is prose. */
  readonly messageAfterPlace?: true
  /** The group place (`path:line:column`), or path and line with the function that the line is in as symbol. */
  readonly places: readonly RegExp[]
  /** It ran and found nothing wrong, though there are no counts. */
  readonly clean?: RegExp
  /** Other forms of the same report, brought into this one. */
  readonly prepare?: (text: string) => string
  readonly named?: (text: string) => string
}

type Place = Pick<Finding, 'path' | 'line' | 'column'> & { readonly symbol?: string | undefined }
interface Failure {
  readonly test?: string | undefined
  readonly path?: string | undefined
  readonly places: Place[]
  message?: string | undefined
}

const PLACES_MAX = 40
/** More than a report holds, since some are listed twice. */
const LISTED_MAX = 1_000
const DETAILS_MAX = 3_000
const MARKS = new Map<string, Count>([
  ...[...'.✓√'].map((mark) => [mark, 'passed'] as const),
  ...['not ok', ...'F✕×✗'].map((mark) => [mark, 'failed'] as const),
  ...[...'s○↓»'].map((mark) => [mark, 'skipped'] as const),
  ['E', 'errors'],
])

export const runnerReader = (format: RunnerFormat): Reader => ({
  tool: format.tool,
  names: format.names.split(', '),
  recognises: ({ text }) => format.recognises(text),
  read: (output) => read(format, output),
})

function read(format: RunnerFormat, { text, lines: given }: Output): Report | undefined {
  const prepared = format.prepare?.(text) ?? text
  const lines = prepared === text ? given : prepared.split('\n')
  const counts = countsOf(format, lines)
  const failures = failuresIn(format, lines)
  if (counts === undefined && failures.length === 0 && !format.clean?.test(prepared)) return undefined
  const findings = newFindings()
  for (const failure of failures) {
    const { test, message = 'failed' } = failure
    addFinding(findings, { ...placeOf(failure), test, severity: 'error', message })
  }
  const report = reportOf(
    format.named?.(text) ?? format.tool,
    'tests',
    counts ?? { passed: 0, failed: 0 },
    findings,
  )
  const ok = lines.filter((line) => format.packageOk?.test(line)).length
  return ok > 0 ? { ...report, note: `${plural(ok, 'package')} ok` } : report
}

/** What the totals state; where there are none, the results counted. */
function countsOf({ totals, results = [], error }: RunnerFormat, lines: readonly string[]) {
  const stated = new Map<Count, number>()
  const marked = new Map<Count, number>()
  const add = (to: Map<Count, number>, name: Count, count: number) =>
    to.set(name, (to.get(name) ?? 0) + count)
  let [more, indentBefore] = [0, 0]
  for (const line of lines) {
    if (totals.some((total) => total.test(line)))
      for (const [name, count] of countsIn(line)) add(stated, name, count)
    if (error?.test(line)) more++
    const result = matched(results, line)
    if (result === undefined) continue
    const indent = result['indent']?.length ?? 0
    // A group comes after its tests (TAP 14) or opens a brace before them: only the tests are counted.
    const isGroup = indentBefore > indent || (result['indent'] !== undefined && /\{\s*$/.test(line))
    indentBefore = indent
    for (const mark of result['marks'] ?? [result['mark'] ?? '']) {
      const name = / # (?:SKIP|TODO)/i.test(line) ? 'skipped' : (MARKS.get(mark) ?? countOf(mark))
      if (name !== undefined && !isGroup) add(marked, name, 1)
    }
  }
  const counts = stated.size > 0 ? stated : marked
  if (counts.size === 0) return more > 0 ? { errors: more } : undefined
  const { failed = 0, errors = 0, skipped, total, warnings, ...known } = Object.fromEntries(counts)
  const rest = Math.max(0, (total ?? 0) - failed - errors - (skipped ?? 0) - (known['expected'] ?? 0))
  return {
    passed: known['passed'] ?? rest,
    failed,
    // Who counts all tests says of errors only that there are some.
    errors: counts.has('errors') || total !== undefined || more > 0 ? errors + more : undefined,
    skipped,
    warnings,
  }
}

/** What the runner lists itself, with the details that it gives elsewhere; without a list the details. Each once. */
function failuresIn(format: RunnerFormat, lines: readonly string[]): Failure[] {
  const details = detailsIn(format, lines)
  const byName = new Map<string | undefined, Failure>()
  for (const detail of details)
    if (detail.message !== undefined || !byName.has(detail.test)) byName.set(detail.test, detail)
  const listed: Failure[] = []
  for (const line of format.listed ? lines : []) {
    const groups = matched(format.listed ?? [], line)
    if (groups === undefined) continue
    const own = placesIn(groups)
    const { test, path = own[0]?.path, message } = groups
    const names =
      test === undefined ? [path] : [test.replaceAll('::', '.'), test.slice(test.lastIndexOf(' ') + 1)]
    const known = names.flatMap((name) => byName.get(name) ?? [])[0]
    listed.push({ test, path, places: known?.places ?? own, message: known?.message ?? message })
    if (listed.length === LISTED_MAX) break
  }
  const distinct = new Map<string, Failure>()
  for (const failure of listed.length > 0 || format.listsAll ? listed : details) {
    const name = `${failure.path} ${failure.test ?? failure.message}`
    if (distinct.get(name)?.message === undefined) distinct.set(name, failure)
  }
  return [...distinct.values()]
}

function detailsIn(format: RunnerFormat, lines: readonly string[]): Failure[] {
  const details: Failure[] = []
  let file: string | undefined
  let open: Failure | undefined = format.above && { places: [] }
  /** Whether the message is the next line with text. */
  let isNext = false
  for (let at = 0; at < lines.length && details.length < DETAILS_MAX; at++) {
    const line = lines[at] ?? ''
    file = format.file?.exec(line)?.groups?.['path']?.replace(/^\.\//, '') ?? file
    const isHead = format.beforeHead?.test(lines[at - 1] ?? '') ?? true
    const head = isHead ? matched(format.heads, line) : undefined
    if (head !== undefined) {
      const { test, path = file, message } = head
      details.push(format.above && open ? { ...open, test } : { test, path, message, places: placesIn(head) })
      open = format.above ? { places: [] } : details.at(-1)
      isNext = message === undefined && (format.message === undefined || head['place'] !== undefined)
    } else if (format.end?.test(line)) open = format.above && { places: [] }
    else if (open !== undefined) {
      const found: RegExpExecArray | null | undefined =
        format.messageAfterPlace && open.places.length === 0 ? null : format.message?.exec(line)
      const message: string = found?.groups?.['message'] ?? (isNext ? line : '')
      // Of what stands above its head the last error counts.
      if (found && format.above) open = { places: [], message }
      else if (message.trim() !== '') open.message ??= message.trim()
      isNext = found ? !message : isNext && message.trim() === ''
      if (open.places.length < PLACES_MAX) open.places.push(...placesIn(matched(format.places, line) ?? {}))
    }
  }
  return details
}

function placesIn({ place, path, line, symbol }: Groups): Place[] {
  const read = place === undefined ? undefined : readPlace(`${place.replace(/^file:\/\//, '')}:`)
  if (read) return [{ path: read.path, line: read.line, column: read.column }]
  return line === undefined ? [] : [{ path, line: Number(line), symbol }]
}

/** The place in the test itself, or in its own file: the rest is what it called, or what called it. */
function placeOf({ test, path, places }: Failure): Finding {
  const file = path?.replace(/^\.\//, '')
  const isOwn = (place: Place) =>
    file === undefined ? !/site-packages|lib[\\/]python/.test(place.path ?? '') : place.path?.endsWith(file)
  const own = places.find(({ symbol }) => symbol && symbol === test?.split(' ', 1)[0]) ?? places.find(isOwn)
  return own ? { path: own.path, line: own.line, column: own.column } : { path: path ?? places[0]?.path }
}
