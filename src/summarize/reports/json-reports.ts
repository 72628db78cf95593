import { isObject, tryParse } from '../../core/event/json.ts'
import { numberIn, textIn } from '../fields.ts'
import type { Output } from './output.ts'
import {
  addFinding,
  countedReport,
  type Finding,
  type Findings,
  newFindings,
  type Reader,
  severityOf,
} from './report.ts'

type Fields = Record<string, unknown>

const JSON_CHARS_MAX = 32 * 1024 * 1024
const DEPTH_MAX = 8
const words = (text: string): readonly string[] => text.split(' ')
const PATHS = words('filePath filename file path file_path file_name source Filename uri name')
const MESSAGES = words('message text Text issue_text failure hint description')
const LINES = words('line line_number lineno row Line startLine line_num line_start')
const COLUMNS = words('column col Column startColumn col_offset column_start')
const CODES = words(
  'ruleId rule code test_id ruleName message-id cop_name FromLinter symbol identifier check_name',
)
const SEVERITIES = words('severity level issue_severity ruleSeverity type')
/** Where an item keeps its place: in itself, or in one of these. */
const PLACES = words(
  'location Pos start startPosition region range physicalLocation artifactLocation locations spans',
)
/** JSON of linters, whole or one value a line: told by what its objects have in common. */
export const jsonReports: Reader = {
  tool: 'json',
  names: [],
  recognises: ({ text }) => /^\s*[[{]|\n[[{]/.test(text) && text.includes('":'),
  read: (output) => {
    const findings = newFindings()
    for (const document of documentsIn(output)) collect(document, undefined, 0, findings)
    return findings.total === 0 ? undefined : countedReport(toolOf(output.text), 'lint', findings)
  },
}

/** Fields that one linter alone gives its findings. */
const SIGNATURES: readonly (readonly [string, string])[] = [
  ['"filePath"', 'eslint'],
  ['"test_id"', 'bandit'],
  ['"cop_name"', 'rubocop'],
  ['"FromLinter"', 'golangci-lint'],
  ['"generalDiagnostics"', 'pyright'],
  ['"end_location"', 'ruff'],
]

const toolOf = (text: string): string =>
  /"driver"\s{0,9}:\s{0,9}\{[^{}]{0,400}"name"\s{0,9}:\s{0,9}"([^"]{1,60})"/.exec(text)?.[1] ??
  SIGNATURES.find(([field]) => text.includes(field))?.[1] ??
  'linter'

/** Without one of these there is nothing to find, and parsing takes its time. */
const TELLING = new RegExp(`"(?:${LINES.join('|')})"`)

function documentsIn({ text }: Output): readonly unknown[] {
  if (text.length > JSON_CHARS_MAX || text.includes('"Action":"') || !TELLING.test(text)) return []
  const trimmed = text.trim()
  const start = /^[[{]/.test(trimmed) ? 0 : trimmed.search(/^[[{]["{\n\]]/m)
  const last = Math.max(trimmed.lastIndexOf(']'), trimmed.lastIndexOf('}'))
  const whole = start === -1 || last <= start ? undefined : tryParse(trimmed.slice(start, last + 1))
  if (whole !== undefined) return [whole]
  return trimmed.split('\n').flatMap((line) => (line.startsWith('{') ? (tryParse(line) ?? []) : []))
}

/** Everything in a document that has a place, a message, and a rule or a severity. */
function collect(value: unknown, path: string | undefined, depth: number, findings: Findings): void {
  if (depth > DEPTH_MAX) return
  if (Array.isArray(value)) for (const item of value) collect(item, path, depth + 1, findings)
  if (!isObject(value)) return
  const here = textIn(value, PATHS.slice(0, -1)) ?? path
  const found = findingIn(value, here)
  if (found) addFinding(findings, found)
  else
    for (const [name, item] of Object.entries(value))
      collect(item, here ?? (name.includes('/') ? name : undefined), depth + 1, findings)
}

function findingIn(item: Fields, path: string | undefined): Finding | undefined {
  const words = isObject(item['message']) ? textIn(item['message'], MESSAGES) : textIn(item, MESSAGES)
  const code = textIn(item, CODES) ?? (typeof item['code'] === 'number' ? String(item['code']) : undefined)
  const level = SEVERITIES.find((name) => item[name] !== undefined)
  const severity = level === undefined ? undefined : severityOf(String(item[level]))
  if (words === undefined || (code ?? severity) === undefined) return undefined
  const places = placesIn(item, 0)
  const first = <T>(read: (place: Fields) => T | undefined): T | undefined =>
    places.map(read).find((found) => found !== undefined)
  const line = first((place) => numberIn(place, LINES))
  const column = first((place) => numberIn(place, COLUMNS))
  const where = first((place) => textIn(place, PATHS)) ?? path
  if (line === undefined || where === undefined) return undefined
  return { path: where, line, column, code, severity, message: words }
}

/** An item and the objects in it that say where it is. */
function placesIn(item: Fields, depth: number): Fields[] {
  if (depth > 3) return [item]
  const inner = PLACES.flatMap((name) => {
    const place = Array.isArray(item[name]) ? item[name][0] : item[name]
    return isObject(place) ? placesIn(place, depth + 1) : []
  })
  return [item, ...inner]
}
