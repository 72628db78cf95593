import type { Observation, Summarizer } from '../../src/summarize/summarizer.ts'
import { observed, testSummarizer } from '../../src/testing/summarizer.ts'

/** What a summarizer makes of a call: its summary, and the output's lines as the packet would show them. */
export function learned(summarizer: Summarizer, call: Partial<Observation>) {
  const summary = testSummarizer(summarizer, call)
  const shown = summary?.output === undefined ? observed(call).shown : (summary.output ?? '')
  const lines = shown === '' ? [] : shown.split('\n')
  return {
    ...summary,
    said: summary?.summary,
    lines,
    highlighted: (summary?.highlights ?? []).map((at) => lines[at]),
  }
}
