import { notes } from '../packet/notes.ts'
import { cut } from '../text/cut.ts'
import { breakLong, isBlank, pickLines, plural, shortLine, unnumbered } from '../text/lines.ts'
import { labelOf } from './call/label.ts'
import { jsonLines } from './json/lines.ts'
import { ownNumbers } from './numbered.ts'
import type { Observation, Summarizer, Summary } from './summarizer.ts'
import { lookAt } from './within.ts'

export const NOTES_CHARS_MAX = 14_000

/** For any tool and any output: what was asked, how it ended, and the lines worth keeping. */
export const genericSummarizer: Summarizer = {
  name: 'generic',
  summarize(seen: Observation): Summary {
    const label = labelOf(seen.tool, seen.args)
    const { lines, size } = linesOf(seen)
    const kept = pickLines(ownNumbers(lines) ?? unnumbered(lines), NOTES_CHARS_MAX)
    return {
      summary: `${endOf(seen, lines, size)} from ${label}`,
      ...(kept.length > 0 ? { knowledge: { [label]: notes('', kept) } } : {}),
      ...(seen.outcome === 'error' ? { failedAttempt: cut(`${label}: ${messageOf(seen, lines)}`, 200) } : {}),
    }
  },
}

/** The lines to choose from; how many there are is told apart where these are not all. */
function linesOf(seen: Observation): { lines: readonly string[]; size?: string } {
  const json = jsonLines(seen.output, seen.text)
  if (json) {
    const lines = json.lines.filter((line) => !isBlank(line))
    return { lines, ...(json.aside === '' ? {} : { size: `${plural(lines.length, 'line')}${json.aside}` }) }
  }
  const { lines, filled, aside } = lookAt(seen.text)
  if (filled === 0) return { lines: [] }
  return {
    lines: breakLong(lines).filter((line) => !isBlank(line)),
    ...(aside === '' ? {} : { size: `${plural(filled, 'line')}${aside}` }),
  }
}

const messageOf = (seen: Observation, lines: readonly string[]): string =>
  shortLine(seen.error ?? lines[0] ?? 'no message')

function endOf(seen: Observation, lines: readonly string[], size: string | undefined): string {
  if (seen.outcome === 'error') return `Error "${cut(messageOf(seen, lines), 140)}"`
  if (size !== undefined) return size
  const [first] = lines
  if (first === undefined) return 'No output'
  return lines.length === 1 ? `"${cut(shortLine(first), 120)}"` : plural(lines.length, 'line')
}
