import { tryParse } from '../../event/json.ts'
import { valuesIn } from '../../packet/names.ts'
import { highlightsIn } from '../../summarize/highlights.ts'
import { unwrap } from '../../summarize/readable.ts'
import { withoutEscapes } from '../../text/escapes.ts'
import type { SpotKind } from './spot.ts'

/** A line of raw output that matters by itself. */
export interface TellingLine {
  readonly line: number
  readonly text: string
  readonly kind: SpotKind
}

/** Of one output; more of them say much the same. */
const LINES_MAX = 8
const LINE_CHARS_MAX = 300
/** Longer lines are data, not something said. */
const LINE_CHARS_WHOLE = 1_000
const FAILING = /(?:^|\s)(?:FAIL(?:ED)?:?|✗|✖|×|not ok|---\s+FAIL:)\s+\S/
const PLACE = /[\w.\\/-]+\.\w{1,5}(?::\d+|\(\d+|", line \d+)/
const WRONG =
  /error|exception|fail|fatal|panic|denied|not found|no such|cannot|undefined|timed out|abort|✗|✖|×/i

/** Summarizers of what was written before: an error in it is not the call's own. */
const SHOWS_TEXT = new Set(['file-read', 'search', 'listing', 'web-page', 'person-reply', 'edits', 'plan'])

/** Errors, failing tests, places and the exit code that an output states, the most telling first. */
export function tellingLines(output: string, summarizer: string, failed: boolean): TellingLine[] {
  if (!failed && SHOWS_TEXT.has(summarizer)) return []
  const lines = output.split('\n')
  const said = textsIn(output) ?? lines
  const important = said.length < 4 ? [...said.keys()] : highlightsIn(said)
  const telling = important.flatMap((at): TellingLine[] => {
    const text = withoutEscapes(said[at] ?? '').trim()
    if (text === '' || text.length > LINE_CHARS_WHOLE || !WRONG.test(text)) return []
    const kind = FAILING.test(text) ? 'failing_test' : PLACE.test(text) ? 'place' : 'error'
    return [
      {
        line: said === lines ? at + 1 : lineWith(lines, text),
        text: detached(text.slice(0, LINE_CHARS_MAX)),
        kind,
      },
    ]
  })
  return [...exitCode(output, lines, failed), ...telling.slice(0, LINES_MAX)]
}

/** Of JSON only what its texts say: `"errors": 0` is no error. */
function textsIn(output: string): string[] | undefined {
  if (!/^\s*[[{]/.test(output)) return undefined
  const parsed = tryParse(output)
  return parsed === undefined ? undefined : valuesIn(parsed).split('\n')
}

/** Where a text of JSON stands: mostly all of it is one line. */
const lineWith = (lines: readonly string[], text: string): number =>
  Math.max(
    0,
    lines.findIndex((line) => line.includes(text)),
  ) + 1

/** A command that failed behind a pipe, and a call that counts as a success. */
function exitCode(output: string, lines: readonly string[], failed: boolean): TellingLine[] {
  const { exit = 0 } = failed ? {} : unwrap(output)
  if (exit === 0) return []
  const at = lines.findIndex((line) => line.includes(String(exit)) && /exit|code|status/i.test(line))
  const text = (lines[at] ?? `exit code ${exit}`).trim().slice(0, LINE_CHARS_MAX)
  return [{ line: Math.max(0, at) + 1, text: detached(text), kind: 'exit_code' }]
}

/** A slice would keep the whole output in memory. */
const detached = (text: string): string => Buffer.from(text).toString('utf8')
