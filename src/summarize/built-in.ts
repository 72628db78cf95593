import { VERSION } from '../version.ts'
import { edits } from './edits.ts'
import { fileRead } from './files.ts'
import { jsonAnswer } from './json.ts'
import { webPage } from './page/web-page.ts'
import { plan } from './plan.ts'
import { reported } from './reports/reported.ts'
import type { Registry, SummarizerMode } from './summarize.ts'
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

/** A run's own summarizers go before the built-in ones: a record is by tool name, a list is asked in order. */
export function registryOf(
  own: Readonly<Record<string, Summarizer>> | readonly Summarizer[] = {},
  mode: SummarizerMode = 'tool_specific',
): Registry {
  const list = Array.isArray(own) ? (own as readonly Summarizer[]) : []
  const byTool = Array.isArray(own) ? {} : (own as Record<string, Summarizer>)
  return { mode, byTool, general: [...list, ...builtInSummarizers] }
}
