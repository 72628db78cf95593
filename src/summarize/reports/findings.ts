import type { Counts, Problem, Report } from './report.ts'

/** Problems kept of one output; the counts stay exact beyond it. */
export const PROBLEMS_MAX = 200
/** One problem's message, in characters. */
const MESSAGE_CHARS_MAX = 300

/** Problems as they are found: the first ones kept, all of them counted. */
export interface Findings {
  readonly kept: Problem[]
  total: number
  errors: number
  warnings: number
}

export function newFindings(): Findings {
  return { kept: [], total: 0, errors: 0, warnings: 0 }
}

/** A problem as a reader finds it: absent fields may be undefined. */
export interface Finding {
  readonly path?: string | undefined
  readonly line?: number | undefined
  readonly column?: number | undefined
  readonly code?: string | undefined
  readonly severity?: Problem['severity'] | undefined
  readonly test?: string | undefined
  readonly message: string
}

export function addFinding(findings: Findings, finding: Finding): void {
  findings.total += 1
  if (finding.severity === 'error') findings.errors += 1
  if (finding.severity === 'warning') findings.warnings += 1
  if (findings.kept.length < PROBLEMS_MAX) findings.kept.push(problemOf(finding))
}

function problemOf(finding: Finding): Problem {
  const { path, line, column, code, severity, test } = finding
  return {
    ...(path !== undefined && { path }),
    ...(line !== undefined && { line }),
    ...(column !== undefined && { column }),
    ...(code !== undefined && code !== '' && { code }),
    ...(severity !== undefined && { severity }),
    ...(test !== undefined && { test: test.slice(0, MESSAGE_CHARS_MAX) }),
    message: finding.message.trim().slice(0, MESSAGE_CHARS_MAX),
  }
}

/** Counts as a reader has them: undefined ones are left out. */
export type LooseCounts = { readonly [K in keyof Counts]?: number | undefined }

export function reportOf(
  tool: string,
  kind: Report['kind'],
  counts: LooseCounts,
  findings: Findings,
  note?: string,
): Report {
  const { passed, failed, errors, skipped, warnings, diagnostics } = counts
  return {
    tool,
    kind,
    counts: {
      ...(passed !== undefined && { passed }),
      ...(failed !== undefined && { failed }),
      ...(errors !== undefined && { errors }),
      ...(skipped !== undefined && { skipped }),
      ...(warnings !== undefined && { warnings }),
      ...(diagnostics !== undefined && { diagnostics }),
    },
    problems: findings.kept,
    ...(note !== undefined && { note }),
  }
}

/** A linter's report when its counts are those of the lines found. */
export function countedReport(tool: string, kind: Report['kind'], findings: Findings): Report {
  const { total, errors, warnings } = findings
  const severities = errors + warnings > 0 ? { errors, warnings } : {}
  return reportOf(tool, kind, { ...severities, diagnostics: total }, findings)
}

/** What a word such as `error`, `fatal error`, `W`, `✖` or `HIGH` means. */
export function severityOf(word: string): Problem['severity'] | undefined {
  return SEVERITIES.get(word.trim().toLowerCase())
}

const SEVERITIES = new Map<string, 'error' | 'warning' | 'info'>([
  ...['error', 'fatal error', 'fatal', 'critical', 'high', 'e', 'f', '✖', '×', '✘', 'x', '✕', '2'].map(
    (word): [string, 'error'] => [word, 'error'],
  ),
  ...['warning', 'warn', 'medium', 'w', '⚠', '!', '▲', '1'].map((word): [string, 'warning'] => [
    word,
    'warning',
  ]),
  ...[
    'info',
    'information',
    'note',
    'hint',
    'low',
    'help',
    'style',
    'suggestion',
    'c',
    'r',
    'i',
    'ℹ',
    'remark',
    'convention',
    'refactor',
  ].map((word): [string, 'info'] => [word, 'info']),
])
