import type { Json } from '../../core/event/json.ts'
import { cut } from '../../text/cut.ts'
import { firstOf, plural } from '../../text/lines.ts'
import { showsText } from '../generic.ts'
import { highlightsIn } from '../highlights.ts'
import type { Summarizer } from '../summarizer.ts'
import { type Lines, linesOf, within } from '../within.ts'
import type { Problem, Report } from './report.ts'
import { normalName, readReport } from './reports.ts'
import { testSentence } from './structured.ts'

const PROBLEMS_MAX = 20
const TESTS_NAMED_MAX = 4
const HIGHLIGHTS_MAX = 40

/** A test runner, linter, compiler or type checker ran: what failed first, with place and message. */
export const reported: Summarizer = {
  name: 'report',
  summarize(seen) {
    const { intent, programs, label } = seen.call
    if (intent.kind !== 'run' && intent.kind !== 'other') return undefined
    if (intent.kind === 'run' && showsText(seen)) return undefined
    const text = within(seen.shown)
    const report = readReport(text, intent.kind === 'run' ? { programs } : { tool: seen.tool })
    if (!report) return undefined
    const bad = (report.counts.failed ?? 0) + (report.counts.errors ?? 0) + (report.counts.diagnostics ?? 0)
    const aside = text.length < seen.shown.length ? ' at both ends of a very long output' : ''
    return {
      summary: cut(`${label}: ${sentenceOf(report)}${aside}`, 290),
      outcome: bad > 0 || report.problems.length > 0 ? 'partial' : seen.outcome,
      highlights: problemLines(linesOf(seen.shown), report.problems),
      knowledge: countsOf(report),
      diagnostics: [null, ...report.problems.slice(0, PROBLEMS_MAX).map(describe)],
    }
  },
}

/** A file with a JUnit report was read: how the tests ended that it is about, whatever its length. */
export const reportFile: Summarizer = {
  name: 'report-file',
  summarize({ call: { intent }, shown, outcome }) {
    if (intent.kind !== 'read' || outcome === 'error') return undefined
    if (!/^\s{0,20}(?:<\?xml[^>]{0,200}>\s{0,20})?<testsuites?\b/.test(shown.slice(0, 500))) return undefined
    const report = readReport(within(shown), { tool: 'junit' })
    if (report?.kind !== 'tests') return undefined
    const { passed = 0, failed = 0, errors = 0, skipped = 0 } = report.counts
    const what = `a report of ${passed + failed + errors + skipped} tests`
    return { summary: cut(`Read ${intent.path}: ${what}. ${sentenceOf({ ...report, tool: 'tests' })}`, 290) }
  },
}

function sentenceOf({ tool, kind, counts, problems, note }: Report): string {
  if (kind === 'tests') {
    const { passed = 0, failed = 0, errors = 0, skipped = 0 } = counts
    // `go test` lists no test that passes.
    if (passed + failed + errors === 0 && note) return `${note} (${tool})`
    const names = [...new Set(problems.flatMap(({ test, path }) => test ?? path ?? []))]
    const named = failed + errors > 0 && names.length > 0 ? `: ${firstOf(names, TESTS_NAMED_MAX)}` : ''
    const by = tool === 'tests' ? '' : ` (${tool})`
    return `${testSentence({ passed, failed, errors, skipped })}${by}${named}`
  }
  const errors = counts.errors ?? 0
  const warnings = counts.warnings ?? 0
  const found = counts.diagnostics ?? problems.length
  const parts = [
    ...(errors > 0 ? [plural(errors, 'error')] : []),
    ...(warnings > 0 ? [plural(warnings, 'warning')] : []),
  ]
  if (parts.length === 0 && found > 0)
    parts.push(
      kind === 'format' ? plural(found, 'file to format', 'files to format') : plural(found, 'problem'),
    )
  if (parts.length === 0) return `${tool} found nothing`
  const [first] = problems
  return `${tool} found ${parts.join(' and ')}${first ? `, first ${describe(first)}` : ''}`
}

/** The lines that the problems stand on, then what else must stay. */
function problemLines({ lines, place: placeOf }: Lines, problems: readonly Problem[]): number[] {
  const found: number[] = []
  for (const { path, line, test, message } of problems.slice(0, PROBLEMS_MAX)) {
    const place = path === undefined || line === undefined ? undefined : `${path}:${line}`
    for (const words of [message.slice(0, 80), place, test]) {
      const at =
        words === undefined || words.length < 4 ? -1 : lines.findIndex((text) => text.includes(words))
      if (at !== -1) found.push(at)
    }
  }
  return [...new Set([...found, ...highlightsIn(lines)])].slice(0, HIGHLIGHTS_MAX).map(placeOf)
}

/** Counts by plain names, so that a rule or a reader finds them: `tests_passed`, `eslint_errors`. */
function countsOf({ tool, kind, counts }: Report): Record<string, Json> {
  const name = kind === 'tests' ? 'tests' : normalName(tool).replaceAll(' ', '_')
  return Object.fromEntries(
    Object.entries(counts).flatMap(([key, count]) =>
      count === undefined ? [] : [[`${name}_${key}`, count]],
    ),
  )
}

function describe(problem: Problem): string {
  const place = [problem.path, problem.line].filter((part) => part !== undefined).join(':')
  return cut([place, problem.code, problem.test, problem.message].filter(Boolean).join(' '), 240)
}
