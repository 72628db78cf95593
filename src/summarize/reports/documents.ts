import { decodeXML } from 'entities/decode'
import { isObject, tryParse } from '../../core/event/json.ts'
import { fieldNumber, fieldText } from '../fields.ts'
import type { Count } from './counts.ts'
import type { Output } from './output.ts'
import { type ReportFinding, reportOf, severityOf, type ToolReport } from './report.ts'

type Fields = Record<string, unknown>

const JSON_CHARS_MAX = 32 * 1024 * 1024
const DEPTH_MAX = 10
const fieldsNamed = (text: string): readonly string[] => text.split(' ')
const PATHS = fieldsNamed('filePath filename file path file_path file_name source Filename uri')
const MESSAGES = fieldsNamed('message text Text issue_text failure hint description')
const LINES = fieldsNamed('line line_number lineno row Line startLine line_num line_start')
const COLUMNS = fieldsNamed('column col Column startColumn col_offset column_start')
const CODES = fieldsNamed(
  'ruleId rule code test_id ruleName message-id cop_name FromLinter symbol identifier check_name check_id rule_id',
)
const SEVERITIES = fieldsNamed('severity level issue_severity ruleSeverity type')
/** Where an item keeps its place: in itself, or in one of these. */
const PLACES = fieldsNamed(
  'location Pos start startPosition region range physicalLocation artifactLocation locations spans labels span',
)
const TESTS = fieldsNamed('fullTitle full_description fullName nodeid title name')
const STATES = fieldsNamed('status outcome state result')
/** Where a failed test keeps its reason. */
const REASONS = fieldsNamed('err exception error call longrepr failureMessages errors crash message failure')

/** How a test runner's JSON counts: in which object, and which field has which count. The first two are always there. */
const TOTALS: readonly { tool: string; at?: string; counts: string }[] = [
  { tool: 'mocha', at: 'stats', counts: 'passed:passes failed:failures skipped:pending' },
  {
    tool: 'rspec',
    at: 'summary',
    counts:
      'total:example_count failed:failure_count skipped:pending_count errors:errors_outside_of_examples_count',
  },
  {
    tool: 'jest',
    counts: 'passed:numPassedTests failed:numFailedTests skipped:numPendingTests skipped:numTodoTests',
  },
  {
    tool: 'playwright',
    at: 'stats',
    counts: 'passed:expected failed:unexpected passed:flaky skipped:skipped',
  },
  {
    tool: 'pytest',
    at: 'summary',
    counts: 'total:collected total:total passed:passed failed:failed errors:error skipped:skipped',
  },
  { tool: 'tests', counts: 'passed:passed failed:failed errors:errors skipped:skipped' },
]

/** Without one of these there is nothing to find, and parsing takes its time. */
const TELLING = new RegExp(
  `"(?:${[...LINES, ...TOTALS.map(({ counts }) => counts.split(/[: ]/)[1])].join('|')})"`,
)

/** JSON of any linter or test runner, whole or one value a line: told by what its objects have in common. */
export function readJson({ text }: Output): ToolReport | undefined {
  if (!/^\s*[[{]|\n[[{]/.test(text) || text.length > JSON_CHARS_MAX || text.includes('"Action":"'))
    return undefined
  if (!TELLING.test(text)) return undefined
  const findings: ReportFinding[] = []
  const documents = documentsIn(text.trim())
  const run = documents.map(totalsIn).find((totals) => totals !== undefined)
  const read = run === undefined ? findingIn : failedTest
  for (const document of documents)
    collect(document, undefined, 0, (item, path) => {
      const found = read(item, path)
      if (found) findings.push(found)
      return found !== undefined
    })
  if (run === undefined) return findings.length === 0 ? undefined : reportOf('linter', 'lint', findings)
  const distinct = [
    ...new Map(findings.map((finding) => [`${finding.path} ${finding.test}`, finding])).values(),
  ]
  const unloaded = distinct.filter(({ test }) => test === undefined).length
  if (unloaded > 0) run.counts.set('errors', unloaded)
  return reportOf(run.tool, 'tests', distinct, run.counts)
}

function documentsIn(text: string): readonly unknown[] {
  const start = /^[[{]/.test(text) ? 0 : text.search(/^[[{]["{\n\]]/m)
  const last = Math.max(text.lastIndexOf(']'), text.lastIndexOf('}'))
  const whole = start === -1 || last <= start ? undefined : tryParse(text.slice(start, last + 1))
  if (whole !== undefined) return [whole]
  return text.split('\n').flatMap((line) => (line.startsWith('{') ? (tryParse(line) ?? []) : []))
}

function totalsIn(document: unknown): { tool: string; counts: Map<Count, number> } | undefined {
  for (const { tool, at, counts } of TOTALS) {
    const inner = isObject(document) ? (at === undefined ? document : document[at]) : undefined
    if (!isObject(inner)) continue
    const read = counts.split(' ').map((pair) => {
      const [count = '', field = ''] = pair.split(':')
      return [count as Count, fieldNumber(inner, [field])] as const
    })
    if (read[0]?.[1] === undefined || read[1]?.[1] === undefined) continue
    const sums = new Map<Count, number>()
    for (const [count, number] of read)
      if (number !== undefined) sums.set(count, count === 'total' ? number : (sums.get(count) ?? 0) + number)
    return { tool, counts: sums }
  }
  return undefined
}

/** Everything in the JSON of a linter that has a message, and a rule or a severity, with the object that says it. */
export function eachFinding(document: unknown, found: (finding: ReportFinding, item: Fields) => void): void {
  collect(document, undefined, 0, (item, path) => {
    const finding = findingIn(item, path, false)
    if (finding) found(finding, item)
    return finding !== undefined
  })
}

/** Shows every object to `take` until that says that it is one, with the file that it or what holds it names. */
function collect(
  value: unknown,
  path: string | undefined,
  depth: number,
  take: (item: Fields, path: string | undefined) => boolean,
): void {
  if (depth > DEPTH_MAX) return
  if (Array.isArray(value)) for (const item of value) collect(item, path, depth + 1, take)
  if (!isObject(value)) return
  const file = Array.isArray(value['assertionResults']) ? fieldText(value, ['name']) : undefined
  const here = file ?? fieldText(value, PATHS) ?? path
  if (take(value, here)) return
  for (const [name, item] of Object.entries(value))
    if (name !== 'suppressedMessages')
      collect(item, here ?? (name.includes('/') ? name : undefined), depth + 1, take)
}

function failedTest(item: Fields, path: string | undefined): ReportFinding | undefined {
  const { assertionResults: inner, err } = item
  const isFile = Array.isArray(inner)
  const stated = /^(?:fail|error|broken|unexpected|timed ?out)/i.test(fieldText(item, STATES) ?? '')
  const failed = stated || (isObject(err) && Object.keys(err).length > 0)
  const test = isFile ? undefined : fieldText(item, TESTS)
  // A file that could not be loaded has no tests.
  if (!failed || (isFile ? inner.length > 0 : test === undefined)) return undefined
  const reason = reasonIn(item, 0) ?? 'failed'
  const [, place = ''] = /(?:\(|at )((?!node:)[^\s()]{1,400}:\d{1,7}):\d{1,7}\)?/.exec(stackOf(item)) ?? []
  const line =
    fieldNumber(item, LINES) ?? (place === '' ? undefined : Number(place.slice(place.lastIndexOf(':') + 1)))
  return {
    path,
    line,
    test,
    severity: 'error',
    message: reason.split('\n').find((text) => text.trim() !== ''),
  }
}

const stackOf = ({ err, failureMessages }: Fields): string =>
  String((isObject(err) ? err['stack'] : Array.isArray(failureMessages) ? failureMessages[0] : '') ?? '')

function reasonIn(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value
  if (Array.isArray(value)) return value.map((item) => reasonIn(item, depth + 1)).find(Boolean)
  if (!isObject(value) || depth > 3) return undefined
  const found = fieldText(value, depth === 0 ? [] : MESSAGES)
  return found ?? REASONS.map((name) => reasonIn(value[name], depth + 1)).find(Boolean)
}

/** `isPlaced`: without a line it is none. */
function findingIn(item: Fields, path: string | undefined, isPlaced = true): ReportFinding | undefined {
  const { message = item['extra'] } = item
  const said = isObject(message) ? fieldText(message, MESSAGES) : fieldText(item, MESSAGES)
  const code = fieldText(item, CODES) ?? (typeof item['code'] === 'number' ? String(item['code']) : undefined)
  const level = SEVERITIES.find((name) => item[name] !== undefined)
  const severity = level === undefined ? undefined : severityOf(String(item[level]))
  // A rule without a name could not look at the file: it does not parse.
  const isNamed = (code ?? severity) !== undefined || CODES.some((name) => item[name] === null)
  if (said === undefined || !isNamed) return undefined
  const places = placesWithin(item, 0)
  const first = <T>(read: (place: Fields) => T | undefined): T | undefined =>
    places.map(read).find((found) => found !== undefined)
  const line = first((place) => fieldNumber(place, LINES))
  const where = first((place) => fieldText(place, [...PATHS, 'name'])) ?? path
  if (where === undefined || (line === undefined && (isPlaced || code === undefined))) return undefined
  const column = first((place) => fieldNumber(place, COLUMNS))
  return { path: where, line, column, code, severity, message: said }
}

/** An item and the objects in it that say where it is. */
function placesWithin(item: Fields, depth: number): Fields[] {
  if (depth > 3) return [item]
  const inner = PLACES.flatMap((name) => {
    const place = Array.isArray(item[name]) ? item[name][0] : item[name]
    return isObject(place) ? placesWithin(place, depth + 1) : []
  })
  return [item, ...inner]
}

const TEXT_CHARS_MAX = 400
const TAG = /<(\/?)(testsuites?|testcase|skipped|failure|error)((?:\s[^>]{0,4000})?\/?)>([^<]{0,400})/g
const STATED = ['tests', 'failures', 'errors', 'skipped'] as const

/** JUnit's XML: the totals of its outermost suites, or its test cases counted. */
export function readJunit({ text }: Output): ToolReport | undefined {
  if (!/<testsuites?[ >]/.test(text)) return undefined
  const findings: ReportFinding[] = []
  const counted = { tests: 0, failures: 0, errors: 0, skipped: 0 }
  const stated = { ...counted }
  let [depth, isStated, test] = [0, false, '']
  for (const [, close, name = '', attributes = '', body = ''] of text.matchAll(TAG)) {
    if (name.startsWith('testsuite')) {
      if (!close && (depth === 0 || (depth === 1 && !isStated)) && / tests="/.test(attributes)) {
        isStated = depth === 0
        for (const key of STATED) stated[key] += Number(attributeOf(attributes, key) ?? 0)
      }
      depth += close ? -1 : attributes.endsWith('/') ? 0 : 1
    }
    if (close) continue
    if (name === 'testcase') {
      counted.tests++
      test = attributes
    } else if (name === 'skipped') counted.skipped++
    else if (name === 'failure' || name === 'error') {
      counted[name === 'failure' ? 'failures' : 'errors']++
      const line = attributeOf(test, 'line')
      findings.push({
        path: attributeOf(test, 'file') ?? attributeOf(test, 'classname'),
        line: line === undefined ? undefined : Number(line),
        test: attributeOf(test, 'name'),
        severity: 'error',
        message: attributeOf(attributes, 'message') ?? decodeXML(body.slice(0, TEXT_CHARS_MAX)).trim(),
      })
    }
  }
  const { tests: total, failures: failed, errors, skipped } = stated.tests >= counted.tests ? stated : counted
  return reportOf(
    'junit',
    'tests',
    findings,
    new Map(Object.entries({ total, failed, errors, skipped }) as [Count, number][]),
  )
}

function attributeOf(attributes: string, name: string): string | undefined {
  const value = new RegExp(`\\s${name}="([^"]{0,2000})"`).exec(attributes)?.[1]
  return value === undefined ? undefined : decodeXML(value)
}
