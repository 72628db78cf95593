import { isNotes } from '../../src/packet/notes.ts'
import type { Summarizer } from '../../src/summarize/summarizer.ts'
import { type SeenCall, testSummarizer } from '../../src/testing/summarizer.ts'

/** What a summarizer says of an output, and the first notes that it keeps, without line numbers. */
export function learned(summarizer: Summarizer, call: SeenCall) {
  const summary = testSummarizer(summarizer, call)
  const [[key = '', value] = []] = Object.entries(summary?.knowledge ?? {})
  const notes = isNotes(value) ? value : { about: '', lines: [], names: [] }
  return {
    said: summary?.summary,
    outcome: summary?.outcome,
    key,
    about: notes.about,
    lines: notes.lines.map(([, line]) => line),
    names: notes.names ?? [],
  }
}
