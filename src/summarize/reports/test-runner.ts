import { isObject } from '../../event/json.ts'
import { shortLine } from '../../text/lines.ts'
import type { Observation, Summarizer } from '../summarizer.ts'
import { countOf } from './count.ts'

/** A test tool's structured result: counts of `passed`, `failed`, `errors`, `skipped`, and a list of failures. */
export const testRunner: Summarizer = {
  name: 'test-runner',
  summarize(seen: Observation) {
    const { output } = seen
    if (!isObject(output)) return undefined
    const passed = countOf(output['passed'] ?? output['tests_passed'] ?? output['numPassedTests'])
    const failed = countOf(output['failed'] ?? output['tests_failed'] ?? output['numFailedTests'])
    if (passed === undefined && failed === undefined) return undefined
    const errors = countOf(output['errors'] ?? output['tests_errors']) ?? 0
    const skipped = countOf(output['skipped']) ?? 0
    const counts = { passed: passed ?? 0, failed: failed ?? 0, errors, skipped }
    const failures = output['failures'] ?? output['failed_tests'] ?? output['failing']
    const bad = counts.failed + errors
    return {
      summary: testSentence(counts),
      outcome: seen.outcome === 'error' ? 'error' : bad > 0 ? 'partial' : 'success',
      knowledge: { tests_passed: counts.passed, tests_failed: counts.failed, tests_errors: errors },
      diagnostics: [null, ...(Array.isArray(failures) ? failures.slice(0, 20).map(describe) : [])],
    }
  },
}

export interface TestCounts {
  readonly passed: number
  readonly failed: number
  readonly errors: number
  readonly skipped: number
}

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

function describe(failure: unknown): string {
  if (!isObject(failure)) return shortLine(String(failure))
  const name = failure['name'] ?? failure['test'] ?? failure['nodeid'] ?? failure['title'] ?? ''
  const message = failure['message'] ?? failure['error'] ?? ''
  return shortLine(
    [name, message]
      .filter((part) => part !== '')
      .map(String)
      .join(': '),
  )
}
