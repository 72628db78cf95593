import { crash } from './crash.ts'
import { edits } from './edits.ts'
import { fileRead } from './files.ts'
import { git, gitOutput } from './git.ts'
import { json } from './json.ts'
import { linter } from './linter.ts'
import { listing } from './listing.ts'
import { packages } from './packages.ts'
import { passthrough } from './passthrough.ts'
import { reported } from './reported.ts'
import { rows } from './rows.ts'
import { search } from './search.ts'
import type { Summarizer } from './summarizer.ts'
import { testRunner } from './test-runner.ts'
import { webPage } from './web-page.ts'

/** What is asked before the generic one: by the exact tool name first, then in this order. */
export const builtInSummarizers: { byTool: Record<string, Summarizer>; general: readonly Summarizer[] } = {
  byTool: { run_linter: linter, apply_fix: linter, run_tests: testRunner },
  general: [
    passthrough,
    fileRead,
    listing,
    search,
    edits,
    git,
    packages,
    reported,
    gitOutput,
    crash,
    json,
    webPage,
    rows,
  ],
}
