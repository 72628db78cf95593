import { VERSION } from '../version.ts'
import { crash } from './crash.ts'
import { edits } from './edits.ts'
import { fileRead } from './files.ts'
import { json } from './json/json.ts'
import { webPage } from './page/web-page.ts'
import { plan } from './plan.ts'
import { reported, reportFile } from './reports/reported.ts'
import { linter, testRunner } from './reports/structured.ts'
import type { Summarizer } from './summarizer.ts'

const ours = (summarizer: Summarizer): Summarizer => ({ ...summarizer, version: VERSION })

/** What is asked before the generic one: by the exact tool name first, then in this order. */
export const builtInSummarizers: { byTool: Record<string, Summarizer>; general: readonly Summarizer[] } = {
  byTool: { run_linter: ours(linter), apply_fix: ours(linter), run_tests: ours(testRunner) },
  general: [plan, reportFile, fileRead, edits, reported, crash, json, webPage].map(ours),
}
