import type { Json } from '../../event/json.ts'
import { cut } from '../../text/cut.ts'
import { plural } from '../../text/lines.ts'
import { intentOf } from '../call/intent.ts'
import { labelOf } from '../call/label.ts'
import { genericSummarizer } from '../generic.ts'
import type { Summarizer } from '../summarizer.ts'
import { within } from '../within.ts'
import type { Problem, Report } from './report.ts'
import { readReport } from './reports.ts'
import { testSentence } from './test-runner.ts'

const PROBLEMS_MAX = 20

/** A test runner, linter, compiler or type checker ran: what failed first, with place and message. */
export const reported: Summarizer = {
  name: 'report',
  summarize(seen) {
    const intent = intentOf(seen.args)
    if (intent.kind !== 'run' && intent.kind !== 'other') return undefined
    const text = within(seen.text)
    const report = readReport(text, intent.kind === 'run' ? { command: intent.command } : { tool: seen.tool })
    if (!report) return undefined
    const whole = genericSummarizer.summarize(seen)
    const bad = (report.counts.failed ?? 0) + (report.counts.errors ?? 0) + (report.counts.diagnostics ?? 0)
    const aside = text.length < seen.text.length ? ' at both ends of a very long output' : ''
    return {
      summary: cut(`${sentenceOf(report)}${aside} from ${labelOf(seen.tool, seen.args, intent)}`, 240),
      outcome: bad > 0 || report.problems.length > 0 ? 'partial' : seen.outcome,
      knowledge: { ...whole?.knowledge, ...countsOf(report) },
      diagnostics: [null, ...report.problems.slice(0, PROBLEMS_MAX).map(describe)],
    }
  },
}

export function sentenceOf({ tool, kind, counts, problems }: Report): string {
  if (kind === 'tests') {
    const { passed = 0, failed = 0, errors = 0, skipped = 0 } = counts
    return `${testSentence({ passed, failed, errors, skipped })} (${tool})`
  }
  const errors = counts.errors ?? 0
  const warnings = counts.warnings ?? 0
  const parts = [
    ...(errors > 0 ? [plural(errors, 'error')] : []),
    ...(warnings > 0 ? [plural(warnings, 'warning')] : []),
    ...(errors + warnings === 0 && (counts.diagnostics ?? problems.length) > 0
      ? [
          plural(
            counts.diagnostics ?? problems.length,
            kind === 'format' ? 'file to format' : 'problem',
            kind === 'format' ? 'files to format' : 'problems',
          ),
        ]
      : []),
  ]
  return parts.length === 0 ? `${tool} found nothing` : `${tool} found ${parts.join(' and ')}`
}

const countsOf = ({ tool, counts }: Report): Record<string, Json> =>
  Object.keys(counts).length === 0 ? {} : { [`${tool} counts`]: { ...counts } as Record<string, number> }

export function describe(problem: Problem): string {
  const place = [problem.path, problem.line].filter((part) => part !== undefined).join(':')
  return cut([place, problem.code, problem.test, problem.message].filter(Boolean).join(' '), 240)
}
