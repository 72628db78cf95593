import type { LanguageName } from '../../nodes/node.ts'

const docStyles = ['google', 'numpy', 'sphinx', 'jsdoc', 'tsdoc'] as const
export type DocStyle = (typeof docStyles)[number]

/** How docstrings of a style head what they describe. */
const MARKS: Readonly<Record<DocStyle, RegExp>> = {
  google: /^[ \t]{0,40}(?:Args|Arguments|Returns|Yields|Raises|Attributes):[ \t]*$/gm,
  numpy: /^[ \t]{0,40}(?:Parameters|Returns|Yields|Raises|Attributes)[ \t]*\n[ \t]{0,40}-{3,20}[ \t]*$/gm,
  sphinx: /^[ \t]{0,40}:(?:param|parameter|arg|type|returns?|rtype|raises?|yields?)\b/gm,
  jsdoc: /^[ \t]{0,40}\*?[ \t]?@(?:param|returns?|throws|yields?)[ \t]+\{/gm,
  tsdoc: /^[ \t]{0,40}\*?[ \t]?@(?:param|returns?|throws|yields?)\b(?![ \t]+\{)/gm,
}

/** The style of a whole project: what most of its docstrings are written in, else its convention, else the usual one. */
export function projectStyle(
  language: LanguageName,
  texts: Iterable<string>,
  convention: string | undefined,
): DocStyle {
  const styles: readonly DocStyle[] =
    language === 'python'
      ? ['google', 'numpy', 'sphinx']
      : language === 'javascript'
        ? ['jsdoc']
        : ['tsdoc', 'jsdoc']
  const named = styles.find((style) => style === convention)
  if (named) return named
  const counts = new Map<DocStyle, number>()
  for (const text of texts)
    for (const style of styles)
      counts.set(style, (counts.get(style) ?? 0) + (text.match(MARKS[style])?.length ?? 0))
  const [most] = [...counts].toSorted((one, other) => other[1] - one[1])
  return most && most[1] > 0 ? most[0] : (styles[0] ?? 'google')
}

/** The style that one text is written in; undefined where it has no part that tells. */
export const styleIn = (text: string): DocStyle | undefined =>
  docStyles.find((style) => text.search(MARKS[style]) !== -1)
