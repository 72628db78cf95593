import { readInside } from '../../files/files.ts'
import { parentOf } from '../../files/ignore.ts'
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

/** The style of a whole project: its convention, else what most of its docstrings are written in, else the usual one. */
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

/** Where projects say how long a line may be. The first that speaks counts. */
const LENGTH = /(?:line-length|printWidth|lineWidth|max_line_length)["']?\s*[:=]\s*(\d+)/
const [PYTHON, SCRIPT] = [
  ['.ruff.toml', 'ruff.toml', 'pyproject.toml', 'setup.cfg', 'tox.ini', '.flake8', '.editorconfig'],
  [
    ...[
      '.prettierrc',
      '.prettierrc.json',
      'prettier.config.js',
      'prettier.config.mjs',
      'prettier.config.cjs',
    ],
    ...['biome.json', 'biome.jsonc', 'package.json', '.editorconfig'],
  ],
]
/** Where ruff's pydocstyle is told a convention. */
const CONVENTION = /^[ \t]{0,8}(?:[\w.-]+\.)?(?:pydocstyle\s*=\s*\{\s*)?convention\s*=\s*["'](\w+)["']/m

/** The longest line that a project wants; the usual length where it says nothing. */
export async function lineLengthFor(
  workspace: string,
  path: string,
  language: LanguageName,
): Promise<number> {
  const isPython = language === 'python'
  const length = await settingFor(workspace, path, isPython ? PYTHON : SCRIPT, LENGTH)
  return length === undefined ? (isPython ? 88 : 100) : Number(length)
}

/** The convention that a project names for its docstrings. */
export const conventionFor = (workspace: string, path: string): Promise<string | undefined> =>
  settingFor(workspace, path, ['.ruff.toml', 'ruff.toml', 'pyproject.toml'], CONVENTION)

/** What the nearest settings upwards say. */
async function settingFor(
  workspace: string,
  path: string,
  names: readonly string[],
  pattern: RegExp,
): Promise<string | undefined> {
  for (let folder = parentOf(path); folder !== undefined; folder = parentOf(folder))
    for (const name of names) {
      const file = folder === '' ? name : `${folder}/${name}`
      const text = (await readInside(workspace, file).catch(() => undefined))?.toString()
      const value = text === undefined ? undefined : pattern.exec(text)?.[1]
      if (value !== undefined) return value
    }
  return undefined
}
