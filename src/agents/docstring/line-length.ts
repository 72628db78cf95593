import { readInside } from '../../files/files.ts'
import { parentOf } from '../../files/ignore.ts'
import type { LanguageName } from '../../nodes/node.ts'

/** Where projects say how long a line may be, and how. The first that speaks counts. */
const PYTHON: readonly [string, RegExp][] = [
  ['.ruff.toml', /^line-length\s*=\s*(\d+)/m],
  ['ruff.toml', /^line-length\s*=\s*(\d+)/m],
  ['pyproject.toml', /^\[tool\.(?:ruff|black)\][^[]*?^line-length\s*=\s*(\d+)/ms],
  ['setup.cfg', /^\[(?:flake8|pycodestyle)\][^[]*?^max-line-length\s*=\s*(\d+)/ms],
  ['tox.ini', /^\[(?:flake8|pycodestyle)\][^[]*?^max-line-length\s*=\s*(\d+)/ms],
  ['.flake8', /^max-line-length\s*=\s*(\d+)/m],
]
const SCRIPT: readonly [string, RegExp][] = [
  ['.prettierrc', /"?printWidth"?\s*:\s*(\d+)/],
  ['.prettierrc.json', /"printWidth"\s*:\s*(\d+)/],
  ['.prettierrc.js', /printWidth:\s*(\d+)/],
  ['prettier.config.js', /printWidth:\s*(\d+)/],
  ['prettier.config.mjs', /printWidth:\s*(\d+)/],
  ['prettier.config.cjs', /printWidth:\s*(\d+)/],
  ['biome.json', /"lineWidth"\s*:\s*(\d+)/],
  ['biome.jsonc', /"lineWidth"\s*:\s*(\d+)/],
  ['package.json', /"prettier"\s*:\s*\{[^}]*"printWidth"\s*:\s*(\d+)/],
]
const EDITOR: readonly [string, RegExp] = ['.editorconfig', /^max_line_length\s*=\s*(\d+)/m]

/** The longest line that a project wants, by the nearest settings upwards; the usual length where it says nothing. */
export async function lineLengthFor(
  workspace: string,
  path: string,
  language: LanguageName,
): Promise<number> {
  const places = [...(language === 'python' ? PYTHON : SCRIPT), EDITOR]
  for (let folder = parentOf(path); folder !== undefined; folder = parentOf(folder))
    for (const [name, pattern] of places) {
      const file = folder === '' ? name : `${folder}/${name}`
      const text = (await readInside(workspace, file).catch(() => undefined))?.toString()
      const length = text === undefined ? undefined : pattern.exec(text)?.[1]
      if (length !== undefined) return Number(length)
    }
  return language === 'python' ? 88 : 100
}
