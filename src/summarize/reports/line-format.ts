import { looksLikePath, type Place } from '../place.ts'
import type { Output } from './output.ts'
import {
  addFinding,
  countedReport,
  type Finding,
  type Findings,
  type Groups,
  isFull,
  matched,
  newFindings,
  type Problem,
  type Reader,
  type Report,
  reportOf,
  severityOf,
} from './report.ts'

/**
 * A tool whose diagnostics are lines of a form of their own. Patterns have the groups path, line, column, severity, code and
 * message, as far as the tool writes them.
 */
export interface LineFormat {
  readonly tool: string
  /** `lint` unless given. */
  readonly kind?: Report['kind']
  /** Commands that ask for it, without options, separated by commas. */
  readonly names?: string
  /** Must be in the text: the quick check before lines are looked at. */
  readonly signature?: string
  readonly rows?: readonly RegExp[]
  /** The path, and perhaps the line, of the rows below it. */
  readonly head?: RegExp
  /** More of a row within a few lines below it; one with a path is needed. */
  readonly below?: RegExp
  /** What follows `path:line:column:`. */
  readonly messages?: readonly RegExp[]
  /** Which such places are the tool's. */
  readonly place?: (place: Place) => boolean
  /** What must hold besides for it to be recognised without being named. */
  readonly sure?: (output: Output, findings: Findings) => boolean
  /** Totals that it states (`g` and `m`), by the groups errors, warnings, infos and diagnostics. */
  readonly totals?: readonly RegExp[]
  /** It says that it found nothing. */
  readonly clean?: RegExp
  /** Of every finding, where the lines do not say. */
  readonly severity?: Problem['severity']
  /** The same line again is the same finding. */
  readonly once?: true
  /** The tool and kind, where one form is several tools'. */
  readonly named?: (output: Output, findings: Findings) => readonly [string, Report['kind']]
}

const BELOW_LINES_MAX = 6

export const lineReader = (format: LineFormat): Reader => ({
  tool: format.tool,
  names: format.names?.split(', ') ?? [],
  recognises: (output) => recognises(format, output),
  read: (output) => read(format, output),
})

function recognises(format: LineFormat, output: Output): boolean {
  if (format.signature !== undefined && !output.text.includes(format.signature)) return false
  if (format.clean?.test(output.text)) return true
  const findings = findingsOf(format, output)
  const found = findings.total > 0 || format.totals?.some((total) => output.text.search(total) !== -1)
  return found === true && (format.sure?.(output, findings) ?? true)
}

function read(format: LineFormat, output: Output): Report | undefined {
  const findings = findingsOf(format, output)
  const stated = statedIn(format, output.text)
  const clean = format.clean?.test(output.text) ?? false
  if (findings.total === 0 && stated.size === 0 && !clean) return undefined
  const [tool, kind] = format.named?.(output, findings) ?? [format.tool, format.kind ?? 'lint']
  if (stated.size === 0) return countedReport(tool, kind, findings)
  const sum = ['errors', 'warnings', 'infos'].reduce((total, name) => total + (stated.get(name) ?? 0), 0)
  const diagnostics = stated.get('diagnostics') ?? Math.max(sum, findings.total)
  // A tool that states one severity at a time found none of the other.
  const countOf = (name: string): number | undefined =>
    stated.get(name) ?? (format.totals?.some(({ source }) => source.includes(`<${name}>`)) ? 0 : undefined)
  const [errors, warnings] = [countOf('errors'), countOf('warnings')]
  return reportOf(tool, kind, { errors, warnings, diagnostics }, findings)
}

/** Several runs in one output are summed. */
function statedIn({ totals = [] }: LineFormat, text: string): Map<string, number> {
  const stated = new Map<string, number>()
  for (const total of totals)
    for (const { groups } of text.matchAll(total))
      for (const [name, count] of Object.entries(groups ?? {}))
        if (count !== undefined) stated.set(name, (stated.get(name) ?? 0) + Number(count))
  return stated
}

function findingsOf(format: LineFormat, output: Output): Findings {
  const findings = newFindings()
  const { messages, place: isMine = () => true } = format
  if (messages !== undefined)
    for (const place of output.places()) {
      const groups = isMine(place) ? matched(messages, place.rest) : undefined
      if (groups === undefined) continue
      const { path, line, column } = place
      if (isFull(findings)) addFinding(findings, { severity: severityIn(format, groups['severity']) })
      else addFinding(findings, { ...findingIn(format, [groups]), path, line, column })
    }
  if (format.rows !== undefined) addRows(format, format.rows, output.lines, findings)
  return findings
}

function addRows(
  format: LineFormat,
  rows: readonly RegExp[],
  lines: readonly string[],
  findings: Findings,
): void {
  const seen = new Set<string>()
  let above: Groups = {}
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (line === '') continue
    const groups = matched(rows, line)
    if (groups === undefined) {
      const head = format.head?.exec(line)?.groups
      if (head !== undefined && looksLikePath(head['path'] ?? '')) above = head
      continue
    }
    const more = format.below === undefined ? {} : belowIn(format.below, lines, at)
    if (more === undefined || (format.once && seen.has(line.trim()))) continue
    if (format.once) seen.add(line.trim())
    const finding = findingIn(format, [more, groups, above])
    if (finding.path === undefined || looksLikePath(finding.path)) addFinding(findings, finding)
  }
}

/** Undefined where what is needed is not there. */
function belowIn(below: RegExp, lines: readonly string[], at: number): Groups | undefined {
  for (let next = at + 1; next < Math.min(lines.length, at + BELOW_LINES_MAX); next++) {
    const groups = below.exec(lines[next] ?? '')?.groups
    if (groups !== undefined) return groups
  }
  return below.source.includes('?<path>') ? undefined : {}
}

/** The first of several lines that has a field gives it. */
function findingIn(format: LineFormat, from: readonly Groups[]): Finding {
  const given = (name: string): string | undefined => {
    for (const groups of from) if (groups[name] !== undefined) return groups[name]
    return undefined
  }
  const [line, column, severity, code] = [given('line'), given('column'), given('severity'), given('code')]
  const words = given('message') ?? code ?? ''
  const split = code === undefined ? splitRule(words) : { message: words, code }
  return {
    path: given('path'),
    line: line === undefined ? undefined : Number(line),
    column: column === undefined ? undefined : Number(column),
    severity: severityIn(format, severity),
    ...split,
  }
}

const severityIn = ({ severity }: LineFormat, word: string | undefined): Problem['severity'] =>
  word === undefined ? severity : severityOf(word)

/** `message (rule)`, `message [rule]`, `message  rule`: parted; the message alone when it ends in no rule. */
function splitRule(text: string): { message: string; code?: string } {
  const message = text.trim()
  const ended = / remark-lint$/.test(message) ? message.slice(0, -' remark-lint'.length) : message
  const open = ended.endsWith(')')
    ? ended.lastIndexOf('(')
    : ended.endsWith(']')
      ? ended.lastIndexOf('[')
      : -1
  const gap = ended === message ? ended.lastIndexOf('  ') : ended.lastIndexOf(' ')
  const [end, code] = open > 0 ? [open, ended.slice(open + 1, -1)] : [gap, ended.slice(gap).trim()]
  if (end <= 0 || !/^[\w@/.:+-]{2,100}$/.test(code)) return { message }
  return { message: message.slice(0, end).trim(), code }
}
