import { linter } from './linter.ts'
import { passthrough } from './passthrough.ts'
import type { Summarizer } from './summarizer.ts'
import { testRunner } from './test-runner.ts'

/** What is asked before the generic one: by the exact tool name first, then in this order. */
export const builtInSummarizers: { byTool: Record<string, Summarizer>; general: readonly Summarizer[] } = {
  byTool: { run_linter: linter, apply_fix: linter, run_tests: testRunner },
  general: [passthrough],
}
