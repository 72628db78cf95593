export type Count = 'passed' | 'failed' | 'errors' | 'skipped' | 'total' | 'warnings' | 'expected'

/** The words of test runners; what is cancelled did not pass. */
const WORDS: readonly (readonly [RegExp, Count])[] = [
  [/^(?:pass(?:ed|es|ing)?|succeeded|ok|success(?:es)?)$/i, 'passed'],
  [/^(?:fail(?:ed|s|ing|ures?)?|cancell?ed)$/i, 'failed'],
  [/^(?:errors?|exceptions?|broken)$/i, 'errors'],
  [/^(?:skip(?:ped|s)?|pending|ignored|todo|disabled)$/i, 'skipped'],
  [/^(?:tests?|examples?|specs?|scenarios?|runs?|total)$/i, 'total'],
  [/^warnings?$/i, 'warnings'],
  [/^expected failures$/i, 'expected'],
]
/** `5 passed`, `12 tests`; or the word first: `Failures: 2`, `succeeded 5`, `Tests run: 12`, `errors=1`. */
const NUMBER_FIRST = /(\d{1,9}) (?:(?:tests?|specs?) (?=pass|fail|skip|succ))?([a-z]{2,11})\b/gi
const WORD_FIRST = /\b((?:un)?expected \w{2,11}|[a-z]{2,11})(?: run)?(?:[:=] {0,9}| {1,9})(\d{1,9})\b/gi

export const countOf = (word: string): Count | undefined => WORDS.find(([pattern]) => pattern.test(word))?.[1]

/** The counts that a line states; with the word first only where few have the number first. */
export function countsIn(line: string, fewest = 1): [Count, number][] {
  const numbered = [...line.matchAll(NUMBER_FIRST)].map(([, count, word = '']) => [word, count] as const)
  const worded = () => [...line.matchAll(WORD_FIRST)].map(([, word = '', count]) => [word, count] as const)
  const read = (pairs: readonly (readonly [string, string | undefined])[]) =>
    pairs.flatMap(([word, count]): [Count, number][] => {
      const name = countOf(word)
      return name === undefined ? [] : [[name, Number(count)]]
    })
  const counts = read(numbered)
  return counts.length < fewest ? [...counts, ...read(worded())] : counts
}
