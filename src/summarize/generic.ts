import { SUMMARIZE_CHARS_MAX } from '../limits.ts'
import { cut } from '../packet/cut.ts'
import { notes } from '../packet/notes.ts'
import { jsonLines } from './json-lines.ts'
import { labelOf } from './label.ts'
import { breakLong, cleanLines, pickLines, plural, shortLine } from './lines.ts'
import { ownNumbers } from './numbered.ts'
import type { Observation, Summarizer, Summary } from './summarizer.ts'

export const NOTES_CHARS_MAX = 14_000

/** For any tool and any output: what was asked, how it ended, and the lines worth keeping. */
export const genericSummarizer: Summarizer = {
  name: 'generic',
  summarize(seen: Observation): Summary {
    const label = labelOf(seen.tool, seen.args)
    const json = jsonLines(seen.output, seen.text)
    const lines = json ?? breakLong(cleanLines(within(seen.text)))
    const filled = lines.filter((line) => line.trim() !== '')
    const kept = pickLines(ownNumbers(filled) ?? filled.map((line) => [0, line]), NOTES_CHARS_MAX)
    return {
      summary: `${endOf(seen, filled)} from ${label}`,
      ...(kept.length > 0 ? { knowledge: { [label]: notes('', kept) } } : {}),
      ...(seen.outcome === 'error'
        ? { failedAttempt: cut(`${label}: ${messageOf(seen, filled)}`, 200) }
        : {}),
    }
  },
}

/** Very long output is looked at from both ends: errors stand in the tail as often as in the head. */
export function within(text: string): string {
  if (text.length <= SUMMARIZE_CHARS_MAX) return text
  const half = SUMMARIZE_CHARS_MAX >> 1
  return `${text.slice(0, half)}\n…\n${text.slice(-half)}`
}

const messageOf = (seen: Observation, lines: readonly string[]): string =>
  shortLine(seen.error ?? lines[0] ?? 'no message')

function endOf(seen: Observation, lines: readonly string[]): string {
  if (seen.outcome === 'error') return `Error "${cut(messageOf(seen, lines), 140)}"`
  const [first] = lines
  if (first === undefined) return 'No output'
  return lines.length === 1 ? `"${cut(shortLine(first), 120)}"` : plural(lines.length, 'line')
}
