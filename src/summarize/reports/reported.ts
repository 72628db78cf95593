import { isObject } from '../../core/event/json.ts'
import { cut } from '../../text/cut.ts'
import { firstOf, plural } from '../../text/lines.ts'
import { addressIn } from '../fields.ts'
import { showsText } from '../generic.ts'
import { highlightsIn } from '../highlights.ts'
import type { Observation, Summarizer, Summary } from '../summarizer.ts'
import { type LinesWithin, linesWithin, within } from '../within.ts'
import { COUNTS, type Problem, type ToolReport } from './report.ts'
import { readReport } from './reports.ts'

const PROBLEMS_MAX = 20
const TESTS_NAMED_MAX = 4
const HIGHLIGHTS_MAX = 40

/** A test runner, linter, compiler or type checker ran, or a program died: what failed first, with place and message. */
export const reported: Summarizer = {
  name: 'report',
  summarize(seen) {
    const { intent, label } = seen.call
    if (intent.kind === 'read') return reportFile(seen, intent.path)
    if (intent.kind !== 'run' && intent.kind !== 'other') return undefined
    if (intent.kind === 'run' && showsText(seen)) return undefined
    const text = within(seen.shown)
    const report = readReport(text)
    if (!report || (report.kind === 'crash' && isPage(seen))) return undefined
    const bad = (report.counts.failed ?? 0) + (report.counts.errors ?? 0) + (report.counts.diagnostics ?? 0)
    const aside = text.length < seen.shown.length ? ' at both ends of a very long output' : ''
    const summary = cut(`${label}: ${reportSentence(report)}${aside}`, 290)
    // Programs print traces that they survive; whether this one did is not known.
    const died = report.kind === 'crash' && seen.outcome === 'error'
    return {
      summary,
      outcome: died ? 'error' : bad > 0 || report.problems.length > 0 ? 'partial' : seen.outcome,
      highlights: problemLines(linesWithin(seen.shown), report.problems),
      ...(report.kind === 'crash' ? {} : countsOf(report)),
      ...(died ? { failedAttempt: cut(summary, 200) } : {}),
      diagnostics: [null, ...report.problems.slice(0, PROBLEMS_MAX).map(describe)],
    }
  },
}

/** A file with a JUnit report was read: how the tests ended that it is about, whatever its length. */
function reportFile({ shown, outcome }: Observation, path: string) {
  if (!/^\s{0,20}(?:<\?xml[^>]{0,200}>\s{0,20})?<testsuites?\b/.test(shown.slice(0, 500))) return undefined
  const report = outcome === 'error' ? undefined : readReport(within(shown))
  if (report?.kind !== 'tests') return undefined
  const { passed = 0, failed = 0, errors = 0, skipped = 0 } = report.counts
  const what = `a report of ${passed + failed + errors + skipped} tests`
  return { summary: cut(`Read ${path}: ${what}. ${reportSentence({ ...report, tool: 'tests' })}`, 290) }
}

/** Pages show traces that happened to others; tests print markup beside their own. */
const isPage = ({ args, shown, call, outcome }: Observation): boolean =>
  outcome !== 'error' &&
  (/^\s*<(?:!doctype html|html)\b/i.test(shown.slice(0, 2_000)) ||
    (call.intent.kind === 'other' &&
      ((isObject(args) && addressIn(args) !== undefined) || /^(?:address|url|title): /i.test(shown))))

/** Outcome before process: what failed first, of how many. */
export function testSentence({
  passed = 0,
  failed = 0,
  errors = 0,
  skipped = 0,
}: ToolReport['counts']): string {
  const total = passed + failed + errors
  const aside = skipped > 0 ? `, ${skipped} skipped` : ''
  if (total === 0) return `No tests ran${aside}`
  if (failed === 0 && errors === 0)
    return `${total === 1 ? 'The 1 test' : `All ${total} tests`} passed${aside}`
  const broken = errors > 0 ? `${failed > 0 ? ', ' : ''}${errors} with errors` : ''
  return `${failed > 0 ? `${failed} of ${total} tests failed` : `Of ${total} tests `}${broken}${aside}`
}

function reportSentence({ tool, kind, counts, problems, note }: ToolReport): string {
  const [first] = problems
  const last = problems.at(-1)
  if (kind === 'crash') return last === undefined ? 'it died' : `${last.message}${placeText(last, ' at ')}`
  const { passed = 0, failed = 0, errors = 0, warnings = 0, diagnostics = problems.length } = counts
  if (kind === 'tests') {
    // `go test` lists no test that passes.
    if (passed + failed + errors === 0 && note) return `${note} (${tool})`
    const names = [...new Set(problems.flatMap(({ test, path }) => test ?? path ?? []))]
    const named = failed + errors > 0 && names.length > 0 ? `: ${firstOf(names, TESTS_NAMED_MAX)}` : ''
    return `${testSentence(counts)}${tool === 'tests' ? '' : ` (${tool})`}${named}`
  }
  const parts = [
    ...(errors > 0 ? [plural(errors, 'error')] : []),
    ...(warnings > 0 ? [plural(warnings, 'warning')] : []),
  ]
  if (parts.length === 0 && diagnostics > 0) parts.push(plural(diagnostics, 'problem'))
  if (parts.length === 0) return 'no problems found'
  return `${parts.join(' and ')}${first ? `, first ${describe(first)}` : ''}`
}

/** The lines that the problems stand on, then what else must stay. */
function problemLines({ lines, place: lineOf }: LinesWithin, problems: readonly Problem[]): number[] {
  const found: number[] = []
  for (const problem of problems.slice(0, PROBLEMS_MAX)) {
    const { line, test, message } = problem
    for (const words of [message.slice(0, 80), line === undefined ? undefined : placeText(problem), test]) {
      const at =
        words === undefined || words.length < 4 ? -1 : lines.findIndex((text) => text.includes(words))
      if (at !== -1) found.push(at)
    }
  }
  return [...new Set([...found, ...highlightsIn(lines)])].slice(0, HIGHLIGHTS_MAX).map(lineOf)
}

/** Counts by plain names, so that a rule or a reader finds them: `tests_passed`, `linter_errors`; what is none is not told. */
function countsOf({ kind, tool, counts, note }: ToolReport): Pick<Summary, 'knowledge' | 'supersedes'> {
  const of = kind === 'tests' ? 'tests' : tool
  // `go test` lists no test that passes.
  const stays = kind !== 'tests' ? ['diagnostics'] : note === undefined ? ['failed', 'passed'] : ['failed']
  const told = Object.entries(counts).filter(([key, count]) => count > 0 || stays.includes(key))
  return {
    supersedes: COUNTS.map((key) => `${of}_${key}`),
    knowledge: Object.fromEntries(told.map(([key, count]) => [`${of}_${key}`, count])),
  }
}

const placeText = ({ path, line }: Problem, before = ''): string =>
  path === undefined ? '' : `${before}${path}${line === undefined ? '' : `:${line}`}`

const describe = (problem: Problem): string =>
  cut([placeText(problem), problem.code, problem.test, problem.message].filter(Boolean).join(' '), 240)
