import { plural } from '../../text/lines.ts'
import { looksLikePath, plainPath } from '../place.ts'
import { type Count, countOf, countsIn } from './counts.ts'
import type { Output } from './output.ts'
import { type Problem, type ReportFinding, reportOf, severityOf, type ToolReport } from './report.ts'

/**
 * One tool's output as data. All patterns but `sign` and `clean` are for one line. What they find is in the groups path,
 * line, column (or all three as place), severity, code, message, test and symbol, as far as the tool writes them.
 */
export interface ReportRow {
  readonly tool: string
  readonly kind: ToolReport['kind']
  /** What shows in a text that it is this tool's (`m`). Without it, a finding does. */
  readonly sign?: RegExp
  /** A line that a finding begins with. */
  readonly finding: readonly RegExp[]
  /** The path, and perhaps the line, of what stands below it. */
  readonly head?: RegExp
  /** More of a finding, on the lines below it. */
  readonly below?: readonly RegExp[]
  /** The details stand above their finding. */
  readonly above?: true
  /** The innermost place of a finding is the last one. */
  readonly lastPlace?: true
  /** The tool's own list of what failed; what it lists has its details from the findings. */
  readonly listed?: readonly RegExp[]
  /** What it does not list did not fail, whatever its details. */
  readonly listsAll?: true
  /** Lines with counts: `5 passed, 1 failed`, `errors=2`. Those of several runs are summed. */
  readonly totals?: RegExp
  /** Its total of failures counts a test again for each one around it: the findings count. */
  readonly nests?: true
  /** How one test ended: the group mark, or marks with a character each, with an indent where tests stand in tests. */
  readonly results?: readonly RegExp[]
  /** A line that stands for one error besides the tests. */
  readonly error?: RegExp
  /** Lines that stand for a package whose tests passed, which are not listed: noted. */
  readonly packageOk?: RegExp
  /** It says that it found nothing (`m`). */
  readonly clean?: RegExp
  /** Of every finding, where the lines do not say. */
  readonly severity?: Problem['severity']
  /** Other forms of the same output, brought into this one. */
  readonly prepare?: (text: string) => string
  /** The tool, where one form is several tools'. */
  readonly named?: (text: string) => string
}

type Groups = Readonly<Record<string, string | undefined>>
type Place = Pick<ReportFinding, 'path' | 'line' | 'column'> & { readonly symbol?: string | undefined }
/** A finding with the places that its details name. */
interface Open {
  groups: Groups
  readonly places: Place[]
}

/** Of a linter's finding; what a test or a trace says goes on until the next. */
const BELOW_LINES_MAX = 6
/** The end of a group of tests that a brace opened. */
const CLOSES = /^ {0,40}\}$/
const PLACES_MAX = 40
const DETAILS_MAX = 3_000

export const recognises = (row: ReportRow, sample: Output): boolean =>
  row.sign?.test(sample.text) ?? (row.clean?.test(sample.text) || findingsIn(row, sample.lines).length > 0)

/** Undefined when the output holds nothing of this tool. May be lenient: it was recognised or asked for. */
export function readRow(row: ReportRow, { text, lines: given }: Output): ToolReport | undefined {
  const prepared = row.prepare?.(text) ?? text
  const lines = prepared === text ? given : prepared.split('\n')
  const findings = findingsIn(row, lines)
  const stated = countsOf(row, lines, findings.length)
  if (stated.size === 0 && findings.length === 0 && !row.clean?.test(prepared)) return undefined
  const report = reportOf(row.named?.(text) ?? row.tool, row.kind, findings, stated)
  const ok = row.packageOk ? lines.filter((line) => row.packageOk?.test(line)).length : 0
  return ok > 0 ? { ...report, note: `${plural(ok, 'package')} ok` } : report
}

/** What the totals state; where there are none, the results counted. */
function countsOf(row: ReportRow, lines: readonly string[], found: number): ReadonlyMap<Count, number> {
  const stated = new Map<Count, number>()
  const marked = new Map<Count, number>()
  const add = (to: Map<Count, number>, name: Count, count: number) =>
    to.set(name, (to.get(name) ?? 0) + count)
  const { results = [], totals, error } = row
  let [more, before] = [0, 0]
  for (const line of lines) {
    if (totals?.test(line)) for (const [name, count] of countsIn(line)) add(stated, name, count)
    if (error?.test(line)) more++
    if (CLOSES.test(line)) before = 0
    const result = matched(results, line)
    if (result === undefined) continue
    const indent = result['indent']?.length ?? 0
    // A group comes after its tests (TAP 14) or opens a brace before them: only the tests are counted.
    const isGroup = before > indent || (result['indent'] !== undefined && /\{\s*$/.test(line))
    before = indent
    for (const mark of result['marks'] ?? [result['mark'] ?? '']) {
      const name = / # (?:SKIP|TODO)/i.test(line) ? 'skipped' : countOf(mark)
      if (name !== undefined && !isGroup) add(marked, name, 1)
    }
  }
  const counts = stated.size > 0 ? stated : marked
  if (more > 0) add(counts, 'errors', more)
  if (row.nests && found > 0 && found < (counts.get('failed') ?? 0)) counts.set('failed', found)
  // What a harness printed twice is there once, as its findings are (`distinct`).
  const sum = counts.get('diagnostics') ?? (counts.get('errors') ?? 0) + (counts.get('warnings') ?? 0)
  if (row.kind !== 'tests' && found > 0 && sum === 2 * found)
    for (const [name, count] of counts) counts.set(name, count / 2)
  return counts
}

/** What the tool lists itself, with the details that it gives elsewhere; without a list the details. Each once. */
export function findingsIn(row: ReportRow, lines: readonly string[]): ReportFinding[] {
  const details = detailsIn(row, lines)
  if (row.listed === undefined) return distinct(row, details)
  const listed: Open[] = []
  const byName = Map.groupBy(details, ({ groups }) => groups['test'])
  for (const line of lines) {
    const groups = matched(row.listed, line)
    if (groups === undefined || listed.length === DETAILS_MAX) continue
    const { test, path } = groups
    const names =
      test === undefined ? [path] : [test.replaceAll('::', '.'), test.slice(test.lastIndexOf(' ') + 1)]
    const same = names.map((name) => byName.get(name)).find((details) => details !== undefined)
    // Two tests may have one name.
    const own = same && same.length > 1 ? same.shift() : same?.[0]
    const message = own?.groups['message'] ?? groups['message']
    listed.push({ groups: { ...groups, message }, places: own?.places ?? placesNamed(groups) })
  }
  return distinct(row, listed.length > 0 || row.listsAll ? listed : details)
}

/** Of a test that is told in several places the first message counts; of a list that is printed twice, as MSBuild does, the first. */
function distinct(row: ReportRow, found: readonly Open[]): ReportFinding[] {
  const findings = found.map((one) => findingOf(row, one))
  if (row.kind !== 'tests') {
    const half = findings.length / 2
    const isTwice = JSON.stringify(findings.slice(0, half)) === JSON.stringify(findings.slice(half))
    return isTwice ? findings.slice(0, half) : findings
  }
  const byName = new Map<string, ReportFinding>()
  for (const finding of findings) {
    const name = `${finding.path} ${finding.test ?? finding.message}`
    if (byName.get(name)?.message === undefined) byName.set(name, finding)
  }
  return [...byName.values()].map((test) => ({
    ...test,
    severity: 'error',
    message: test.message ?? 'failed',
  }))
}

function detailsIn(row: ReportRow, lines: readonly string[]): Open[] {
  const found: Open[] = []
  const { below = [], kind } = row
  const belowLines = kind === 'lint' ? BELOW_LINES_MAX : Number.POSITIVE_INFINITY
  const isPlaced = kind !== 'tests' && below.some(({ source }) => source.includes('<path>'))
  const fresh = (): Open | undefined => (row.above ? { groups: {}, places: [] } : undefined)
  let [open, left, above]: [Open | undefined, number, Groups] = [fresh(), belowLines, {}]
  // Indents of the failures inside the test that ends next.
  let inner: number[] = []
  for (const line of lines) {
    if (line === '' || (row.kind === 'tests' && found.length >= DETAILS_MAX)) continue
    if (CLOSES.test(line)) inner = []
    const groups = matched(row.finding, line)
    if (groups !== undefined) {
      const indent = groups['indent']?.length ?? 0
      const isParent = inner.some((one) => one > indent)
      inner = [...inner.filter((one) => one <= indent).slice(-1), indent]
      if (isParent) {
        open = undefined
        continue
      }
      const details = row.above ? open : undefined
      const begun = {
        groups: { ...above, ...details?.groups, ...defined(groups) },
        places: details?.places ?? placesNamed(groups),
      }
      found.push(begun)
      open = row.above ? fresh() : begun
      left = belowLines
      continue
    }
    const head = row.head?.exec(line)?.groups
    if (head !== undefined && looksLikePath(head['path'] ?? '')) above = head
    if (open !== undefined && left-- > 0) addBelow(row, open, matched(below, line))
  }
  return found.filter(({ groups, places }) => {
    const { path } = groups
    if (isPlaced && path === undefined && places.length === 0) return false
    return row.kind === 'tests' || path === undefined || looksLikePath(path)
  })
}

const defined = (groups: Groups): Groups =>
  Object.fromEntries(Object.entries(groups).filter(([, value]) => value !== undefined))

function addBelow(row: ReportRow, open: Open, groups: Groups | undefined): void {
  if (groups === undefined) return
  const places = placesNamed(groups)
  if (places.length > 0 && open.places.length < PLACES_MAX) open.places.push(...places)
  const { path, line, column, test, message, ...rest } = groups
  const isLater = row.above && message !== undefined
  if (isLater) open.places.length = 0
  const said = open.groups['message']
  open.groups = {
    ...rest,
    ...open.groups,
    ...defined({ test, message: isLater || !said ? message?.trim() || said : said }),
  }
}

/** The groups of the first pattern that matches a line. */
function matched(patterns: readonly RegExp[], line: string): Groups | undefined {
  for (const pattern of patterns) {
    const found = pattern.exec(line)
    if (found) return found.groups ?? {}
  }
  return undefined
}

/** `path:line`, `path:line:column`. */
const PLACE = /^(?<path>.{1,400}?):(?<line>\d{1,9})(?::(?<column>\d{1,9}))?$/

function placesNamed({ place = '', ...own }: Groups): Place[] {
  const read = PLACE.exec(plainPath(place))?.groups
  const { path, line, column, symbol }: Groups = looksLikePath(read?.['path'] ?? '') ? { ...read } : own
  if (line === undefined || path === undefined) return []
  return [{ path, line: Number(line), column: column === undefined ? undefined : Number(column), symbol }]
}

const LIBRARY = /site-packages|lib[\\/]python|node_modules|^node:|^<|\/rustc\//

function findingOf(row: ReportRow, { groups, places }: Open): ReportFinding {
  const { path, line, column, severity, test, message, code } = groups
  const words = message ?? code
  const { message: said = words, code: rule = code } =
    row.kind === 'tests' || code !== undefined ? {} : splitRule(message ?? '')
  return {
    path,
    line: line === undefined ? undefined : Number(line),
    column: column === undefined ? undefined : Number(column),
    ...findingPlace(row, { test, path }, places),
    severity: severity === undefined ? row.severity : severityOf(severity),
    test,
    code: rule,
    message: said,
  }
}

/** The place in the test itself, or in its own file, or in no library: the rest is what it called, or what called it. */
function findingPlace(row: ReportRow, { test, path }: ReportFinding, places: readonly Place[]): Place {
  const file = path?.replace(/^\.\//, '')
  const own = places.filter((place) =>
    file === undefined ? !LIBRARY.test(place.path ?? '') : place.path?.endsWith(file),
  )
  const place =
    places.find(({ symbol }) => symbol && symbol === test?.split(' ', 1)[0]) ??
    (row.lastPlace ? own.at(-1) : own[0]) ??
    (path === undefined ? places[0] : undefined)
  return place ? { path: place.path, line: place.line, column: place.column } : {}
}

/** `message (rule)`, `message [rule]`, `message  rule`: parted; the message alone when it ends in no rule. */
function splitRule(text: string): { message: string; code?: string } {
  const message = text.trim()
  const ended = / remark-lint$/.test(message) ? message.slice(0, -' remark-lint'.length) : message
  const bracket = { ')': '(', ']': '[' }[ended.at(-1) ?? '']
  const open = bracket === undefined ? -1 : ended.lastIndexOf(bracket)
  const gap = ended === message ? ended.lastIndexOf('  ') : ended.lastIndexOf(' ')
  const [end, code] = open > 0 ? [open, ended.slice(open + 1, -1)] : [gap, ended.slice(gap).trim()]
  if (end <= 0 || !/^[\w@/.:+-]{2,100}$/.test(code)) return { message }
  return { message: message.slice(0, end).trim(), code }
}
