import { VERSION } from '../version.ts'
import { edits } from './edits.ts'
import { fileRead } from './files.ts'
import { jsonAnswer } from './json.ts'
import { webPage } from './page/web-page.ts'
import { plan } from './plan.ts'
import { reported } from './reports/reported.ts'
import type { Summarizer } from './summarizer.ts'

/** What is asked before the generic one, in this order. */
export const builtInSummarizers: readonly Summarizer[] = [
  plan,
  reported,
  fileRead,
  edits,
  jsonAnswer,
  webPage,
].map((summarizer) => ({ ...summarizer, version: VERSION }))
