import type { LanguageName } from '../../nodes/node.ts'

export const docStyles = ['google', 'numpy', 'sphinx', 'jsdoc', 'tsdoc'] as const
export type DocStyle = (typeof docStyles)[number]

/** The style that a file's docstrings are written in, or its project's convention, or the most common one. */
export function styleOf(language: LanguageName, text: string, convention: string | undefined): DocStyle {
  if (language === 'javascript') return 'jsdoc'
  if (language !== 'python') return 'tsdoc'
  const counts: [DocStyle, number][] = [
    ['google', count(text, /^\s{0,40}(?:Args|Returns|Yields|Raises):$/gm)],
    ['numpy', count(text, /^\s{0,40}-{4,20}$/gm)],
    ['sphinx', count(text, /^\s{0,40}:(?:param|type|returns|rtype|raises)\b/gm)],
  ]
  const [most] = counts.toSorted((one, other) => other[1] - one[1])
  if (most && most[1] > 0) return most[0]
  return convention === 'numpy' ? 'numpy' : 'google'
}

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0
