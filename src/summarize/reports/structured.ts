import { isObject } from '../../core/event/json.ts'
import { shortLine } from '../../text/lines.ts'
import type { Observation, Summarizer } from '../summarizer.ts'

type Fields = Record<string, unknown>

const PROBLEMS_MAX = 20
const LISTS = 'errors issues diagnostics violations messages findings'.split(' ')
const COUNTS = 'total total_issues error_count issue_count issues_remaining remaining count'.split(' ')

/**
 * A linter tool's structured result. Tools name their findings in different ways, so each known way is read:
 * a list or a count of `errors`, `issues`, `diagnostics`, `violations`; `total`; `fixed`; `fixable`.
 */
export const linter: Summarizer = {
  name: 'linter',
  summarize({ output, outcome }: Observation) {
    if (!isObject(output)) return undefined
    const name = [...LISTS, ...COUNTS].find((field) => countOf(output[field]) !== undefined)
    const remaining = countOf(output[name ?? ''])
    if (name === undefined || remaining === undefined) return undefined
    const found = output[name]
    const fixed = firstCount(output, ['fixed', 'fixes_applied', 'issues_fixed']) ?? 0
    const stated = firstCount(output, ['fixable', 'fixable_count'])
    const fixable = remaining === 0 && stated !== undefined ? 0 : stated
    return {
      summary: lintSentence(remaining, fixed, fixable),
      // The linter worked: issues found are a result, not a failure.
      outcome: outcome === 'error' ? 'error' : remaining > 0 ? 'partial' : 'success',
      knowledge: {
        lint_errors_remaining: remaining,
        lint_errors_fixed: fixed,
        ...(fixable === undefined ? {} : { lint_errors_fixable: fixable }),
      },
      // What an earlier run stated no longer holds.
      ...(fixable === undefined ? { supersedes: ['lint_errors_fixable'] } : {}),
      diagnostics: [null, ...listed(found)],
    }
  },
}

/** A test tool's structured result: counts of `passed`, `failed`, `errors`, `skipped`, and a list of failures. */
export const testRunner: Summarizer = {
  name: 'test-runner',
  summarize({ output, outcome }: Observation) {
    if (!isObject(output)) return undefined
    const passed = firstCount(output, ['passed', 'tests_passed', 'numPassedTests'])
    const failed = firstCount(output, ['failed', 'tests_failed', 'numFailedTests'])
    if (passed === undefined && failed === undefined) return undefined
    const errors = firstCount(output, ['errors', 'tests_errors']) ?? 0
    const counts = {
      passed: passed ?? 0,
      failed: failed ?? 0,
      errors,
      skipped: countOf(output['skipped']) ?? 0,
    }
    const failures = output['failures'] ?? output['failed_tests'] ?? output['failing']
    return {
      summary: testSentence(counts),
      outcome: outcome === 'error' ? 'error' : counts.failed + errors > 0 ? 'partial' : 'success',
      knowledge: { tests_passed: counts.passed, tests_failed: counts.failed, tests_errors: errors },
      diagnostics: [null, ...listed(failures)],
    }
  },
}

type TestCounts = Readonly<Record<'passed' | 'failed' | 'errors' | 'skipped', number>>

/** Outcome before process: what failed first, of how many. */
export function testSentence({ passed, failed, errors, skipped }: TestCounts): string {
  const total = passed + failed + errors
  const aside = skipped > 0 ? `, ${skipped} skipped` : ''
  if (total === 0) return `No tests ran${aside}`
  if (failed === 0 && errors === 0)
    return `${total === 1 ? 'The 1 test' : `All ${total} tests`} passed${aside}`
  const broken = errors > 0 ? `${failed > 0 ? ', ' : ''}${errors} with errors` : ''
  return `${failed > 0 ? `${failed} of ${total} tests failed` : `Of ${total} tests `}${broken}${aside}`
}

function lintSentence(remaining: number, fixed: number, fixable: number | undefined): string {
  const can = fixable ? `, ${fixable} fixable` : ''
  const noun = (count: number) => `${count} lint ${count === 1 ? 'error' : 'errors'}`
  if (fixed > 0)
    return remaining === 0 ? `Fixed all ${noun(fixed)}` : `Fixed ${noun(fixed)}, ${remaining} remaining${can}`
  return remaining === 0 ? 'No lint errors found' : `Found ${noun(remaining)}${can}`
}

/** A number of things, given as such or as their list. */
function countOf(value: unknown): number | undefined {
  if (Array.isArray(value)) return value.length
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

const firstCount = (fields: Fields, names: readonly string[]): number | undefined =>
  countOf(names.map((name) => fields[name]).find((value) => value !== undefined && value !== null))

const listed = (items: unknown): string[] =>
  Array.isArray(items) ? items.slice(0, PROBLEMS_MAX).map(describe) : []

/** One finding or failure in a line: where, which, what. */
function describe(item: unknown): string {
  if (!isObject(item)) return shortLine(String(item))
  const given = (...names: string[]): string =>
    String(names.map((name) => item[name]).find((value) => /^(?:string|number)$/.test(typeof value)) ?? '')
  const place = [given('path', 'file', 'filename'), given('line', 'line_number', 'row')]
  const test = given('name', 'test', 'nodeid', 'title')
  const words = [
    place.filter(Boolean).join(':'),
    given('code', 'rule', 'rule_id', 'ruleId'),
    test && `${test}:`,
    given('message', 'text', 'error'),
  ]
  return shortLine(words.filter(Boolean).join(' ').replace(/:$/, ''))
}
