export type Count =
  | 'passed'
  | 'failed'
  | 'errors'
  | 'skipped'
  | 'total'
  | 'warnings'
  | 'expected'
  | 'infos'
  | 'diagnostics'

/** The words of test runners and linters; what is cancelled did not pass. */
const WORDS: readonly (readonly [RegExp, Count])[] = [
  [/^(?:pass(?:ed|es|ing)?|succeeded|ok|success(?:es)?|[.✓√✔])$/i, 'passed'],
  [/^(?:fail(?:ed|s|ing|ures?)?|cancell?ed|not ok|[F✕×✗])$/i, 'failed'],
  [/^(?:errors?|exceptions?|broken|E)$/i, 'errors'],
  [/^(?:skip(?:ped|s)?|pending|ignored|todo|disabled|[s○↓»])$/i, 'skipped'],
  [/^(?:tests?|examples?|specs?|scenarios?|runs?|total)$/i, 'total'],
  [/^warnings?$/i, 'warnings'],
  [/^expected failures$/i, 'expected'],
  [/^(?:infos?|informations?|notes?)$/i, 'infos'],
  [/^(?:problems?|issues?)$/i, 'diagnostics'],
]
/** `5 passed`, `12 tests`; or the word first: `Failures: 2`, `succeeded 5`, `Tests run: 12`, `errors=1`. */
const NUMBER_FIRST = /(\d{1,9}) (?:(?:tests?|specs?) (?=pass|fail|skip|succ))?([a-z]{2,12})\b/gi
const WORD_FIRST = /\b((?:un)?expected \w{2,11}|[a-z]{2,11})(?: run)?(?:[:=] {0,9}| {1,9})(\d{1,9})\b/gi

export const countOf = (word: string): Count | undefined => WORDS.find(([pattern]) => pattern.test(word))?.[1]

/** The counts that a line states; with the word first only where few have the number first. */
export function countsIn(line: string, fewest = 1): [Count, number][] {
  const read = (pairs: Iterable<readonly [string, string]>) =>
    [...pairs].flatMap(([word, count]): [Count, number][] => {
      const name = countOf(word)
      return name === undefined ? [] : [[name, Number(count)]]
    })
  const counts = read([...line.matchAll(NUMBER_FIRST)].map(([, count = '', word = '']) => [word, count]))
  if (counts.length >= fewest) return counts
  return [
    ...counts,
    ...read([...line.matchAll(WORD_FIRST)].map(([, word = '', count = '']) => [word, count])),
  ]
}
