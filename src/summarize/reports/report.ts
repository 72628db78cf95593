import { defined } from '../../core/event/json.ts'
import type { ShellCommand } from '../../text/shell.ts'
import type { Output } from './output.ts'

/** What a test runner, linter, compiler or type checker said, in one vocabulary. */
export interface Report {
  /** The program that wrote it: `pytest`, `eslint`, `tsc`, `go test`. */
  readonly tool: string
  readonly kind: 'tests' | 'lint' | 'types' | 'compile' | 'format'
  /** Only the counts that the output states or that can be counted from it. */
  readonly counts: Counts
  /** Failing tests and diagnostics in the order of the output, bounded. */
  readonly problems: readonly Problem[]
  /** What the counts leave out: `20 packages ok`. */
  readonly note?: string
}

interface Counts {
  readonly passed?: number
  readonly failed?: number
  readonly errors?: number
  readonly skipped?: number
  readonly warnings?: number
  readonly diagnostics?: number
}

export interface Problem {
  readonly path?: string
  readonly line?: number
  readonly column?: number
  /** Rule or error code: `E501`, `TS2345`, `no-unused-vars`. */
  readonly code?: string
  readonly severity?: 'error' | 'warning' | 'info'
  /** Name of the failing test. */
  readonly test?: string
  readonly message: string
}

/** What may be known about where a text came from. */
export interface ReportHint {
  readonly tool?: string
  /** What ran, as a shell command was read. */
  readonly programs?: ShellCommand
}

/** One tool's format. A new tool is one more of these in the table of `reports.ts`. */
export interface Reader {
  /** As it stands in `Report.tool`. */
  readonly tool: string
  /** Commands that ask for this reader, without options: `go vet`, `eslint`. */
  readonly names: readonly string[]
  /** Cheap and sure: true only for output that this tool writes. Runs on every output of every command. */
  readonly recognises: (output: Output) => boolean
  /** Undefined when the output holds nothing of this tool. May be lenient: it was recognised or asked for. */
  readonly read: (output: Output) => Report | undefined
}

/** The named groups of a pattern that matched. */
export type Groups = Readonly<Record<string, string | undefined>>

/** The groups of the first pattern that matches a text; empty where it has none. */
export function matched(patterns: readonly RegExp[], text: string): Groups | undefined {
  for (const pattern of patterns) {
    const found = pattern.exec(text)
    if (found) return found.groups ?? {}
  }
  return undefined
}

/** Problems listed of one output; the counts stay exact beyond it. */
const PROBLEMS_MAX = 200
/** One problem's message, in characters. */
const MESSAGE_CHARS_MAX = 300

/** Problems as they are found: the first ones listed, all of them counted. */
export interface Findings {
  readonly problems: Problem[]
  total: number
  errors: number
  warnings: number
}

export const newFindings = (): Findings => ({ problems: [], total: 0, errors: 0, warnings: 0 })

/** A problem as a reader finds it: absent fields may be undefined. */
export type Finding = { readonly [K in keyof Problem]?: Problem[K] | undefined }

/** Whether more findings are only counted. */
export const isFull = ({ problems }: Findings): boolean => problems.length >= PROBLEMS_MAX

export function addFinding(findings: Findings, finding: Finding): void {
  findings.total += 1
  if (finding.severity === 'error') findings.errors += 1
  if (finding.severity === 'warning') findings.warnings += 1
  if (isFull(findings)) return
  const { message = '', test, code, ...rest } = finding
  findings.problems.push({
    ...defined({ ...rest, code: code || undefined, test: test?.slice(0, MESSAGE_CHARS_MAX) }),
    message: message.trim().slice(0, MESSAGE_CHARS_MAX),
  })
}

/** Counts as a reader has them: undefined ones are left out. */
export type LooseCounts = { readonly [K in keyof Counts]?: number | undefined }

export function reportOf(
  tool: string,
  kind: Report['kind'],
  counts: LooseCounts,
  { problems }: Findings,
): Report {
  const { passed, failed, errors, skipped, warnings, diagnostics } = counts
  return { tool, kind, counts: defined({ passed, failed, errors, skipped, warnings, diagnostics }), problems }
}

/** A linter's report when its counts are those of the lines found. */
export function countedReport(tool: string, kind: Report['kind'], findings: Findings): Report {
  const { total, errors, warnings } = findings
  if (total === 0) return reportOf(tool, kind, { errors: 0, warnings: 0, diagnostics: 0 }, findings)
  const unsaid = kind === 'compile' ? { errors: total } : {}
  const severities = errors + warnings > 0 ? { errors, warnings } : unsaid
  return reportOf(tool, kind, { ...severities, diagnostics: total }, findings)
}

const WORDS: Readonly<Record<'error' | 'warning' | 'info', string>> = {
  error: 'error|fatal error|fatal|critical|high|e|f|✖|×|✘|x|✕|2',
  warning: 'warning|warn|medium|w|⚠|!|▲|1',
  info: 'info|information|note|notice|hint|low|help|style|suggestion|c|r|i|ℹ|remark|convention|refactor|message',
}
const SEVERITIES = new Map(
  (['error', 'warning', 'info'] as const).flatMap((severity) =>
    WORDS[severity].split('|').map((word) => [word, severity] as const),
  ),
)

/** What a word such as `error`, `fatal error`, `W`, `✖` or `HIGH` means. A report may hold very many of them. */
export const severityOf = (word: string): Problem['severity'] =>
  SEVERITIES.get(word) ?? SEVERITIES.get(word.trim().toLowerCase())
