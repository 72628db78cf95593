import type { EventFor } from '../../core/event/event.ts'
import { tryParse } from '../../core/event/json.ts'
import { highlightsIn } from '../../summarize/highlights.ts'
import { unwrap } from '../../summarize/readable.ts'
import { withoutEscapes } from '../../text/escapes.ts'
import { isNumber, specificNames, writtenNames } from '../../text/names.ts'
import { isPath } from '../../text/paths.ts'
import { valuesIn } from '../../text/values.ts'
import type { SpotKind } from './spot.ts'

/**
 * One or two digits, and zeros: whoever calls chooses such a number (`tail -30`, a limit of 2000), wherever else it stands.
 * Where output is thrown away is known as well.
 */
const CHOSEN = /^(?:0*\d{1,2}0*|(?:\/?dev\/)?null)$/

/** Names in the arguments of a call that it can have from an output, in lower case: paths, identifiers, numbers. */
export const namesInCall = (args: unknown): string[] =>
  specificNames(valuesIn(args)).filter((name) => !CHOSEN.test(name))

/** Names that raw output showed, and the last event that did. */
export type SeenNames = Map<string, number>
const SEEN_MAX = 500_000

/** Adds the names of an output; those that were not seen for longest are let go past a bound. */
export function addSeen(seen: SeenNames, seq: number, output: string): void {
  for (const name of writtenNames(output).keys()) {
    // Deleting first keeps the order of last sight.
    seen.delete(name)
    seen.set(name, seq)
  }
  for (const name of seen.keys()) {
    if (seen.size <= SEEN_MAX) break
    seen.delete(name)
  }
}

export const kindOfName = (name: string): SpotKind =>
  isNumber(name) ? 'number' : isPath(name) || name.includes('/') ? 'path' : 'name'

/** Lines so close to each other are one piece of the output. */
const LINES_APART_MAX = 5

/** A line of an output or a few that stand together, and the names of those looked for as they stand in them. */
export interface Holding {
  readonly line: number
  readonly to_line: number
  /** The line with most of the names. */
  readonly text: string
  readonly names: readonly string[]
}

/** As few lines as hold all of the names that an output showed; each name goes to one line. */
export function linesWith(output: string, names: readonly string[]): Holding[] {
  const wanted = new Set(names)
  const lines = output.split('\n').map((text, at) => ({ line: at + 1, to_line: at + 1, text }))
  const holding = lines.flatMap((one) => {
    const own = [...writtenNames(one.text)].flatMap(([name, written]) => (wanted.has(name) ? [written] : []))
    return own.length > 0 ? [{ ...one, names: own }] : []
  })
  const chosen: Holding[] = []
  while (wanted.size > 0) {
    let best: Holding | undefined
    for (const one of holding) {
      const left = one.names.filter((name) => wanted.has(name.toLowerCase()))
      if (left.length > (best?.names.length ?? 0)) best = { ...one, names: left }
    }
    if (!best) break
    chosen.push(best)
    for (const name of best.names) wanted.delete(name.toLowerCase())
  }
  return joinLines(chosen)
}

function joinLines(holding: readonly Holding[]): Holding[] {
  const pieces: Holding[] = []
  for (const one of holding.toSorted((a, b) => a.line - b.line)) {
    const last = pieces.at(-1)
    if (!last || one.line - last.to_line > LINES_APART_MAX) pieces.push(one)
    else
      pieces[pieces.length - 1] = {
        line: last.line,
        to_line: one.to_line,
        text: one.names.length > last.names.length ? one.text : last.text,
        names: [...last.names, ...one.names],
      }
  }
  return pieces
}

/** What a prompt shows, so that one can ask whether it holds a name or a line. */
export interface ShownText {
  hasName(name: string): boolean
  hasLine(line: string): boolean
}

/** So much of a line's words must be there: a summary may put them in other order. */
const WORDS_PERCENT_MIN = 80
const WORD = /[\p{L}\p{N}_]{3,}/gu

export function shownIn(prompt: string): ShownText {
  const text = prompt.toLowerCase()
  const names = new Set(specificNames(prompt))
  const words = new Set(text.match(WORD) ?? [])
  return {
    // A path may stand there as part of a place (`src/a.ts:12`); a number inside another is another number.
    hasName: (name) => names.has(name) || (!isNumber(name) && text.includes(name)),
    hasLine(line) {
      const own = new Set(line.toLowerCase().match(WORD) ?? [])
      if (own.size === 0) return true
      let found = 0
      for (const word of own) if (words.has(word)) found++
      return found * 100 >= own.size * WORDS_PERCENT_MIN
    },
  }
}

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
const SHOWS_TEXT = new Set(['file-read', 'web-page', 'person-reply', 'edits', 'plan'])

/** Errors, failing tests, places and the exit code that an output states, the most telling first. */
export function tellingLines(output: string, { data, delta }: EventFor<'tool_result'>): TellingLine[] {
  const failed = data.outcome !== 'success'
  const looked = delta?.add_action?.[0]?.looked === true
  if (!failed && (looked || SHOWS_TEXT.has(data.summarizer))) return []
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
export const detached = (text: string): string => Buffer.from(text).toString('utf8')
