import { isObject } from '../core/event/json.ts'
import { cut } from '../text/cut.ts'
import { plural, quoted, shortLine } from '../text/lines.ts'
import { VERSION } from '../version.ts'
import { highlightsIn, keyLine } from './highlights.ts'
import type { Observation, Summarizer, Summary } from './summarizer.ts'
import { type LinesWithin, linesWithin } from './within.ts'

const QUOTE_CHARS_MAX = 160
/** So few are told, if they are short: of an old step there is only its sentence. */
const FEW_LINES = 6
const FEW_CHARS_MAX = 180
/** Says no more than the code that is told anyway. */
const EXIT = /^"(?:command |process )?(?:exit(?:ed)?|failed) ?(?:with )?(?:exit )?(?:code|status)? ?\d+"$/i
/** Where the files of a diff begin. */
const HEADS_MAX = 40
/** Programs that show text of others: an error in it is not theirs. */
const SHOWS = new Set(
  'cat sed head tail nl grep rg find ls git diff less awk tree curl wget jq sort'.split(' '),
)

/** For any tool and any output: what was called, how it ended, and the line that says so. */
export const genericSummarizer: Summarizer = {
  name: 'generic',
  version: VERSION,
  summarize(seen: Observation): Summary {
    const { shown, outcome, call } = seen
    const looked = linesWithin(shown)
    const { lines, place } = looked
    const failed = outcome === 'error'
    const sentence = `${call.label}: ${endOf(seen, looked)}`
    const diffs = lines.flatMap((line, at) => (line.startsWith('diff --git ') ? [at] : []))
    const telling = failed || !showsText(seen) ? highlightsIn(lines) : diffs.slice(0, HEADS_MAX)
    return {
      summary: cut(sentence, 290),
      ...(shown === '' ? { output: null } : {}),
      highlights: telling.map(place),
      ...(failed ? { failedAttempt: cut(sentence, 200) } : {}),
    }
  },
}

/** Whether what is shown was written before: a file, a search, a history. */
export function showsText({ call }: Pick<Observation, 'call'>): boolean {
  if (call.intent.kind !== 'run') return call.intent.kind !== 'other'
  return call.programs.every(
    ([first]) => first === undefined || SHOWS.has(first.name) || first.name === 'echo',
  )
}

/** A tool answers at once; a program says at its end how it went. */
const isAnswer = ({ call, args }: Observation): boolean =>
  call.intent.kind !== 'run' && !(isObject(args) && typeof args['code'] === 'string')

function endOf(seen: Observation, { lines, total }: LinesWithin): string {
  const failed = seen.outcome === 'error'
  const line =
    keyLine(lines, failed ? 'error' : isAnswer(seen) ? 'first' : 'last') ?? (failed ? seen.error : undefined)
  const words = line === undefined ? '' : quoted(cut(shortLine(line), QUOTE_CHARS_MAX))
  if (failed) {
    const code = seen.exit === undefined ? '' : ` with exit code ${seen.exit}`
    return `failed${code}${words === '' || (code !== '' && EXIT.test(words)) ? '' : `, ${words}`}`
  }
  if (line === undefined) return seen.call.intent.kind === 'search' ? 'nothing found' : 'no output'
  if (total === 1) return words
  const count = plural(total, 'line')
  const all = total > FEW_LINES ? [] : lines.map((one) => one.trim()).filter((one) => one !== '')
  if (all.length > 0 && all.join('').length <= FEW_CHARS_MAX) return `${count}: ${all.map(quoted).join(', ')}`
  if (showsText(seen)) return count
  return isAnswer(seen) ? `${words}, ${count}` : `${count}, the last ${words}`
}
