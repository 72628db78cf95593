import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { commandFormatter } from './command.ts'
import type { LinterKind } from './kinds.ts'
import type { Formatter } from './linter.ts'
import { nodeProgram, pythonProgram, type Where } from './programs.ts'

/** How a formatter is recognised and called; it writes the files it is given, unless its configuration leaves them out. */
interface FormatterKind {
  readonly name: string
  readonly language: LinterKind['language']
  readonly package?: string
  readonly args: readonly string[]
  readonly files?: RegExp
  /** What says in the files of a project's checks (scripts, hooks, workflows) that it is used. */
  readonly says: RegExp
}

const KINDS: readonly FormatterKind[] = [
  {
    name: 'ruff',
    language: 'python',
    args: ['format', '--quiet', '--no-cache', '--force-exclude'],
    says: /\bruff[- ]format\b|\[tool\.ruff\.format\]/,
  },
  {
    name: 'black',
    language: 'python',
    args: ['--quiet'],
    says: /\[tool\.black\]|\bid: black\b|\bblack (?:--check|--diff|\.|src\b)/,
  },
  {
    name: 'prettier',
    language: 'script',
    package: 'prettier',
    args: ['--write', '--log-level=warn', '--ignore-unknown'],
    files: /^(?:\.prettierrc(?:\..+)?|prettier\.config\.[cm]?[jt]s)$/,
    says: /"prettier"\s*:\s*(?:\{|"[@.a-z][^":]*")|\bprettier (?:-c|--check|-l|--write|-w|\.)/,
  },
  {
    name: 'biome',
    language: 'script',
    package: '@biomejs/biome',
    args: ['format', '--write', '--no-errors-on-unmatched', '--colors=off'],
    says: /\bbiome (?:format|check|ci)\b/,
  },
  {
    name: 'oxfmt',
    language: 'script',
    package: 'oxfmt',
    args: ['--no-error-on-unmatched-pattern'],
    files: /^\.oxfmtrc\.jsonc?$/,
    says: /\boxfmt\b/,
  },
]

/** Files that say how a project is checked. */
const CHECKS = [
  ...['package.json', 'pyproject.toml', '.pre-commit-config.yaml', 'tox.ini', 'noxfile.py', 'Makefile'],
  ...['justfile', 'scripts/check', 'scripts/lint', 'setup.cfg'],
]

/** The formatter that files of a folder say they use; not of the folders above it. */
export async function formatterIn(
  where: Where,
  folder: string,
  language: LinterKind['language'],
): Promise<Formatter | undefined> {
  const { project } = where
  const names: string[] = await readdir(join(project, folder)).catch(() => [])
  for (const kind of KINDS.filter((one) => one.language === language)) {
    const file =
      names.find((name) => kind.files?.test(name)) ?? (await sayer(project, folder, names, kind.says))
    if (file === undefined) continue
    const program =
      kind.package === undefined
        ? await pythonProgram(where, kind.name)
        : await nodeProgram(where, folder, kind.name, kind.package)
    const config = folder === '' ? file : `${folder}/${file}`
    const own = language === 'python' ? '' : folder
    if (program)
      return commandFormatter(kind.name, kind.args, {
        program,
        config,
        folder: own,
        command: [],
        covers: () => true,
      })
  }
  return undefined
}

async function sayer(project: string, folder: string, names: readonly string[], says: RegExp) {
  for (const name of CHECKS) {
    if (!names.includes(name.split('/')[0] ?? name)) continue
    const text = await readFile(join(project, folder, name), 'utf8').catch(() => '')
    if (says.test(text)) return name
  }
  return undefined
}
