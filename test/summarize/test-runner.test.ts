import { expect, test } from 'vitest'
import type { Json } from '../../src/core/event/json.ts'
import { testRunner } from '../../src/summarize/reports/structured.ts'
import { observed } from '../../src/testing/summarizer.ts'

const run = (output: Json, outcome: 'success' | 'error' = 'success') =>
  testRunner.summarize(observed({ tool: 'run_tests', output, outcome }))

test('counts what passed, failed and had errors', () => {
  expect(run({ passed: 3, failed: 2 })).toMatchObject({
    outcome: 'partial',
    summary: expect.stringMatching(/2.*5/),
    knowledge: { tests_passed: 3, tests_failed: 2, tests_errors: 0 },
  })
  expect(run({ passed: 5, failed: 0 })).toMatchObject({ outcome: 'success', knowledge: { tests_failed: 0 } })
  expect(run({ passed: 1, failed: 0, errors: 2 })).toMatchObject({
    outcome: 'partial',
    knowledge: { tests_errors: 2 },
  })
  expect(run({ passed: 5 }, 'error')?.outcome).toBe('error')
})

test('no test at all is not all tests passed', () => {
  expect(run({ passed: 0, failed: 0 })?.summary.toLowerCase()).not.toContain('passed')
})

test('failures replace the problems known before', () => {
  const lines = run({
    passed: 0,
    failed: 1,
    failures: [{ name: 'test_a', message: 'expected 1' }],
  })?.diagnostics
  expect(lines?.[0]).toBeNull()
  expect(lines?.[1]).toContain('test_a')
  expect(lines?.[1]).toContain('expected 1')
})

test('is silent on what is no test result', () => {
  for (const output of [null, 0, '', [], {}, { passed: 'yes' }] as Json[]) expect(run(output)).toBeUndefined()
})
