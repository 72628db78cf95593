import { addFinding, countedReport, newFindings, severityOf } from './findings.ts'
import type { Output } from './output.ts'
import { looksLikePath } from './place.ts'
import type { Reader } from './reader.ts'
import type { Report } from './report.ts'

/** A tool whose every diagnostic is one line of one form that is its own. */
interface LineFormat {
  readonly tool: string
  readonly kind: Report['kind']
  readonly names: readonly string[]
  /** Must be in the text: the quick check before lines are looked at. */
  readonly signature: string
  /** Groups: path, line, column, severity, code, message. */
  readonly pattern: RegExp
  /** The path of the rows below it, where the rows have none. Group: path. */
  readonly header?: RegExp
}

const FORMATS: readonly LineFormat[] = [
  {
    tool: 'sbt',
    kind: 'compile',
    names: ['sbt', 'sbt compile', 'scalastyle'],
    signature: '] ',
    pattern:
      /^\[(?<severity>error|warn)\] (?:\[\w{1,20}\] )?(?<path>\/?[^\s:][^:]{0,400}\.(?:scala|java|sbt))(?::(?<line>\d{1,7}))?(?::(?<column>\d{1,6}))?: (?<message>.{1,500})$/,
  },
  {
    tool: 'scalastyle',
    kind: 'lint',
    names: ['scalastyle'],
    signature: ' file=',
    pattern:
      /^(?<severity>error|warning) file=(?<path>\S{1,400}) message=(?<message>.{1,400}?)(?: line=(?<line>\d{1,7}))?(?: column=(?<column>\d{1,6}))?$/,
  },
  {
    tool: 'puppet-lint',
    kind: 'lint',
    names: ['puppet lint'],
    signature: ' on line ',
    pattern:
      /^(?<path>\S{1,400}\.pp) - (?<severity>ERROR|WARNING): (?<message>.{1,300}) on line (?<line>\d{1,7})/,
  },
  {
    tool: 'protolint',
    kind: 'lint',
    names: ['protolint'],
    signature: '.proto:',
    pattern: /^\[(?<path>[^\]:]{1,300}\.proto):(?<line>\d{1,7}):(?<column>\d{1,6})\] (?<message>.{1,400})$/,
  },
  {
    tool: 'cppcheck',
    kind: 'lint',
    names: ['cppcheck'],
    signature: ']: (',
    pattern:
      /^\[(?<path>[^\]:]{1,300}):(?<line>\d{1,7})\]: \((?<severity>error|warning|style|performance|portability|information)\) (?<message>.{1,400})$/,
  },
  {
    tool: 'reek',
    kind: 'lint',
    names: ['reek'],
    signature: ' -- ',
    header: /^(?<path>\S.{0,300}?) -- \d{1,6} warnings?:$/,
    pattern: /^ {2}\[(?<line>\d{1,7})(?:, \d{1,7}){0,50}\]:(?<code>\w{1,60}): (?<message>.{1,400})$/,
  },
  {
    tool: 'sorbet',
    kind: 'types',
    names: ['srb', 'srb tc', 'sorbet'],
    signature: 'https://srb.help/',
    pattern:
      /^(?<path>[^\s:][^:]{0,300}):(?<line>\d{1,7}): (?<message>.{1,400}) https:\/\/srb\.help\/(?<code>\d{4})$/,
  },
  {
    tool: 'brakeman',
    kind: 'lint',
    names: ['brakeman'],
    signature: ' near line ',
    pattern:
      /^(?<path>\/?\S{1,300}\.(?:rb|erb|haml|slim))\s{1,20}(?<line>\d{1,7})\s{1,20}(?<message>\S.{0,300}? near line \d{1,7}\b)/,
  },
  {
    tool: 'psalm',
    kind: 'types',
    names: ['psalm'],
    signature: ' - ',
    pattern:
      /^(?<severity>ERROR|INFO): (?<code>[A-Z]\w{1,60}) - (?<path>\S{1,300}):(?<line>\d{1,7}):(?<column>\d{1,6}) - (?<message>.{1,400})$/,
  },
  {
    tool: 'dart analyze',
    kind: 'lint',
    names: ['dart analyze', 'flutter analyze', 'dart'],
    signature: ' • ',
    pattern:
      /^ {0,6}(?<severity>error|warning|info) • (?<message>[^•]{1,400}) • (?<path>[^•:]{1,300}):(?<line>\d{1,7}):(?<column>\d{1,6}) • (?<code>\w{1,80})$/,
  },
  {
    tool: 'sqlfluff',
    kind: 'lint',
    names: ['sqlfluff', 'sqlfluff lint'],
    signature: ' | P: ',
    header: /^== \[(?<path>[^\]]{1,300})\] (?:FAIL|PASS)$/,
    pattern:
      /^L: {1,6}(?<line>\d{1,7}) \| P: {1,6}(?<column>\d{1,6}) \| (?<code>\w{2,6}) \| (?<message>.{1,400})$/,
  },
  {
    tool: 'shellcheck',
    kind: 'lint',
    names: ['shellcheck'],
    signature: 'SC',
    header: /^In (?<path>\S.{0,300}?) line (?<line>\d{1,7}):$/,
    pattern:
      /^ {0,200}\^-{0,200}\^? (?<code>SC\d{4}) \((?<severity>error|warning|info|style)\): (?<message>.{1,400})$/,
  },
]

function readWith(format: LineFormat, { lines }: Output): Report | undefined {
  const findings = newFindings()
  let above: Readonly<Record<string, string | undefined>> = {}
  for (const line of lines) {
    above = format.header?.exec(line)?.groups ?? above
    const groups = format.pattern.exec(line)?.groups
    if (groups === undefined) continue
    const path = groups['path'] ?? above['path']
    if (path === undefined || !looksLikePath(path)) continue
    const at = groups['line'] ?? above['line']
    addFinding(findings, {
      path,
      line: at === undefined ? undefined : Number(at),
      column: groups['column'] === undefined ? undefined : Number(groups['column']),
      severity: groups['severity'] === undefined ? undefined : severityOf(groups['severity']),
      code: groups['code'],
      message: groups['message'] ?? '',
    })
  }
  return findings.total === 0 ? undefined : countedReport(format.tool, format.kind, findings)
}

export const lineFormats: readonly Reader[] = FORMATS.map((format) => ({
  tool: format.tool,
  names: format.names,
  recognises: ({ text, lines }) =>
    text.includes(format.signature) && lines.some((line) => format.pattern.test(line)),
  read: (output) => readWith(format, output),
}))
