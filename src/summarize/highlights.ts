/** Lines that must stay when an output is cut. */
const HIGHLIGHTS_MAX = 40
const ERRORS_MAX = 24
const LINE_CHARS_MAX = 1_000
/** So few are shown whole. */
const LINES_MIN = 4

const ERROR =
  /^\W{0,8}(?:error|fatal|panic|fail(?:ed|ure)?|exception|traceback|abort(?:ed|ing)?|critical|assertion ?error)\b|^E {2,}\S|\b[A-Z]\w*(?:Error|Exception|Failure)\b(?::|\b\()|\berror(?:\[\w+\])?: |\bERR!|(?:^|\s)[✗✖×❌]\s|\b(?:No such file|command not found|Permission denied|cannot (?:find|open|access|import|resolve)|is not (?:defined|a function)|undefined reference|segmentation fault|timed out)\b/i
const HARMLESS =
  /\b(?:0|no) (?:errors?|failures?|failed)\b|\bfail(?:ed|ures?)?[:=] ?0\b|\bDeprecationWarning\b/i
const TOTAL =
  /\b\d+ (?:passed|failed|failing|passing|errors?|failures?|warnings?|problems?|issues?|tests?)\b/i

/** Errors (the last first: a program says at its end why it failed), then totals. */
export const highlightsIn = (lines: readonly string[]): number[] =>
  lines.length < LINES_MIN ? [] : importantIn(lines)

function importantIn(lines: readonly string[]): number[] {
  const errors: number[] = []
  const totals: number[] = []
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (line === '' || line.length > LINE_CHARS_MAX) continue
    if (ERROR.test(line)) {
      if (!HARMLESS.test(line)) errors.push(at)
    } else if (TOTAL.test(line)) totals.push(at)
  }
  const first = errors.slice(0, ERRORS_MAX / 3)
  const ends = errors
    .slice(first.length)
    .slice((-ERRORS_MAX * 2) / 3)
    .reverse()
  return distinct([...ends, ...first, ...totals.slice(-4).reverse()])
}

const distinct = (found: readonly number[]): number[] => [...new Set(found)].slice(0, HIGHLIGHTS_MAX)

/** What is said of a program that did not come to its end, whatever it had complained of before. */
const STOPPED =
  /^\W{0,4}(?:(?:the )?(?:command|process|script|execution|operation) (?:was )?)?(?:aborted|killed|terminated|interrupted|cancell?ed|timed out)\b.{0,80}$/i
const WORDS = /[\p{L}\p{N}]/u

/** The line that best says how it ended: the last error, or the first or the last line with words. */
export function keyLine(lines: readonly string[], which: 'error' | 'first' | 'last'): string | undefined {
  const hasWords = (line: string) => WORDS.test(line.slice(0, LINE_CHARS_MAX))
  if (which === 'first') return lines.find(hasWords)
  const last = lines.findLast(hasWords)
  if (which === 'last' || STOPPED.test(last ?? '')) return last
  const errors = importantIn(lines)
  // What ends in a colon only says that something follows.
  const error = errors.find((at) => !lines[at]?.trimEnd().endsWith(':')) ?? errors[0]
  return error === undefined ? last : lines[error]
}
