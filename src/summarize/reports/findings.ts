import { defined } from '../../event/json.ts'
import type { Counts, Problem, Report } from './report.ts'

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

/** What a word such as `error`, `fatal error`, `W`, `✖` or `HIGH` means. */
export const severityOf = (word: string): Problem['severity'] =>
  SEVERITIES.get(word) ?? SEVERITIES.get(word.trim().toLowerCase())
