import type { JsonShape } from './json-reports.ts'
import { at, type JsonValue, listAt, numberAt, textAt } from './json-value.ts'

function firstLine(text: string | undefined): string {
  return text?.split('\n', 1)[0] ?? 'failed'
}

/** Test runners' JSON reporters: Jest and Vitest, Mocha, pytest-json-report, RSpec. */
export const testJsonShapes: readonly JsonShape[] = [
  {
    tool: 'jest',
    kind: 'tests',
    is: (document) => numberAt(document, 'numTotalTests') !== undefined,
    findings: (document) =>
      listAt(document, 'testResults').flatMap((file) =>
        listAt(file, 'assertionResults')
          .filter((item) => textAt(item, 'status') === 'failed')
          .map((item) => ({
            path: textAt(file, 'name'),
            line: numberAt(item, 'location', 'line'),
            test: textAt(item, 'fullName'),
            severity: 'error' as const,
            message: firstLine(textAt(item, 'failureMessages', 0)),
          })),
      ),
    counts: (document) => ({
      passed: numberAt(document, 'numPassedTests'),
      failed: numberAt(document, 'numFailedTests'),
      skipped: (numberAt(document, 'numPendingTests') ?? 0) + (numberAt(document, 'numTodoTests') ?? 0),
    }),
  },
  {
    tool: 'mocha',
    kind: 'tests',
    is: (document) => numberAt(document, 'stats', 'passes') !== undefined,
    findings: (document) =>
      listAt(document, 'failures').map((item) => ({
        path: textAt(item, 'file'),
        test: textAt(item, 'fullTitle'),
        severity: 'error' as const,
        message: textAt(item, 'err', 'message') ?? 'failed',
      })),
    counts: (document) => ({
      passed: numberAt(document, 'stats', 'passes'),
      failed: numberAt(document, 'stats', 'failures'),
      skipped: numberAt(document, 'stats', 'pending'),
    }),
  },
  {
    tool: 'pytest',
    kind: 'tests',
    is: (document) =>
      numberAt(document, 'summary', 'total') !== undefined && Array.isArray(at(document, 'tests')),
    findings: (document) =>
      listAt(document, 'tests')
        .filter((item) => /^(failed|error)$/.test(textAt(item, 'outcome') ?? ''))
        .map((item) => ({
          path: textAt(item, 'call', 'crash', 'path') ?? textAt(item, 'nodeid')?.split('::', 1)[0],
          line: numberAt(item, 'call', 'crash', 'lineno'),
          test: textAt(item, 'nodeid'),
          severity: 'error' as const,
          message: textAt(item, 'call', 'crash', 'message') ?? 'failed',
        })),
    counts: (document) => ({
      passed: numberAt(document, 'summary', 'passed') ?? 0,
      failed: numberAt(document, 'summary', 'failed') ?? 0,
      errors: numberAt(document, 'summary', 'error'),
      skipped: numberAt(document, 'summary', 'skipped'),
    }),
  },
  {
    tool: 'rspec',
    kind: 'tests',
    is: (document) => numberAt(document, 'summary', 'example_count') !== undefined,
    findings: (document) =>
      listAt(document, 'examples')
        .filter((item) => textAt(item, 'status') === 'failed')
        .map((item) => ({
          path: textAt(item, 'file_path'),
          line: numberAt(item, 'line_number'),
          test: textAt(item, 'full_description'),
          severity: 'error' as const,
          message: textAt(item, 'exception', 'message') ?? 'failed',
        })),
    counts: rspecCounts,
  },
]

function rspecCounts(document: JsonValue) {
  const failed = numberAt(document, 'summary', 'failure_count') ?? 0
  const skipped = numberAt(document, 'summary', 'pending_count') ?? 0
  return { passed: (numberAt(document, 'summary', 'example_count') ?? 0) - failed - skipped, failed, skipped }
}
