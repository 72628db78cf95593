import { defined } from '../../core/event/json.ts'
import { onOneLine } from '../../text/lines.ts'
import type { Count } from './counts.ts'

/** What a test runner, linter, compiler or type checker said, or a program that died, in one vocabulary. */
export interface ToolReport {
  /** The program that wrote it: `pytest`, `go test`; any linter or compiler is a `linter`. */
  readonly tool: string
  readonly kind: 'tests' | 'lint' | 'crash'
  /** Only the counts that the output states or that can be counted from it. */
  readonly counts: Readonly<Partial<Record<(typeof COUNTS)[number], number>>>
  /** Failing tests and diagnostics in the order of the output, bounded. */
  readonly problems: readonly Problem[]
  /** What the counts leave out: `20 packages ok`. */
  readonly note?: string
}

export interface Problem {
  readonly path?: string
  readonly line?: number
  readonly column?: number
  /** Rule or error code: `E501`, `TS2345`, `no-unused-vars`. */
  readonly code?: string
  readonly severity?: 'error' | 'warning' | 'info'
  readonly test?: string
  readonly message: string
}

/** A problem as it is found: absent fields may be undefined. */
export type ReportFinding = { readonly [K in keyof Problem]?: Problem[K] | undefined }

export const COUNTS = ['passed', 'failed', 'errors', 'skipped', 'warnings', 'diagnostics'] as const
/** Problems listed of one output; the counts stay exact beyond it. */
const PROBLEMS_MAX = 200
const MESSAGE_CHARS_MAX = 300

/** What was found, all of it counted and the first listed; `stated` are totals that the output gives itself. */
export function reportOf(
  tool: string,
  kind: ToolReport['kind'],
  findings: readonly ReportFinding[],
  stated?: ReadonlyMap<Count, number>,
): ToolReport {
  const counts = kind === 'tests' ? testCounts(stated ?? new Map()) : lintCounts(kind, findings, stated)
  return {
    tool,
    kind,
    counts: defined(Object.fromEntries(COUNTS.map((name) => [name, counts[name]]))),
    problems: findings.slice(0, PROBLEMS_MAX).map(({ message = '', test, code, ...rest }) => ({
      ...defined({ ...rest, code: code || undefined, test: test?.slice(0, MESSAGE_CHARS_MAX) }),
      message: onOneLine(message.slice(0, 2 * MESSAGE_CHARS_MAX)).slice(0, MESSAGE_CHARS_MAX),
    })),
  }
}

type Counted = { readonly [K in (typeof COUNTS)[number]]?: number | undefined }

function testCounts(stated: ReadonlyMap<Count, number>): Counted {
  const {
    failed = 0,
    errors = 0,
    skipped,
    total,
    warnings,
    passed,
    expected = 0,
  } = Object.fromEntries(stated)
  const rest = Math.max(0, (total ?? 0) - failed - errors - (skipped ?? 0) - expected)
  // Who counts all tests says of errors only that there are some.
  const known = stated.has('errors') || total !== undefined ? errors : undefined
  return { passed: passed ?? rest, failed, errors: known, skipped, warnings }
}

function lintCounts(
  kind: ToolReport['kind'],
  findings: readonly ReportFinding[],
  stated: ReadonlyMap<Count, number> = new Map(),
): Counted {
  const diagnostics = findings.length
  const of = (severity: string) => findings.filter((finding) => finding.severity === severity).length
  if (stated.size > 0) {
    const { errors = 0, warnings = 0, infos = 0, diagnostics: all } = Object.fromEntries(stated)
    const said = stated.has('errors') || stated.has('warnings') ? { errors, warnings } : {}
    return { ...said, diagnostics: all ?? Math.max(errors + warnings + infos, diagnostics) }
  }
  const [errors, warnings] = [of('error'), of('warning')]
  if (diagnostics === 0 || errors + warnings > 0) return { errors, warnings, diagnostics }
  return kind === 'crash' ? { errors: diagnostics, diagnostics } : { diagnostics }
}

const WORDS: Readonly<Record<'error' | 'warning' | 'info', string>> = {
  error: 'error|fatal error|fatal|critical|high|e|f|✖|×|✘|x|✕|2',
  warning: 'warning|warn|medium|w|⚠|!|▲|1',
  info: 'info|information|advice|note|notice|hint|low|help|style|suggestion|c|r|i|ℹ|remark|convention|refactor|message',
}
const SEVERITIES = new Map(
  (['error', 'warning', 'info'] as const).flatMap((severity) =>
    WORDS[severity].split('|').map((word) => [word, severity] as const),
  ),
)

/** What a word such as `error`, `fatal error`, `W`, `✖` or `HIGH` means. A report may hold very many of them. */
export const severityOf = (word: string): Problem['severity'] =>
  SEVERITIES.get(word) ?? SEVERITIES.get(word.trim().toLowerCase())
