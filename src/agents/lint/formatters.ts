import type { ToolKind } from './kinds.ts'

/** How a formatter is called; it writes the files it is given, unless its configuration leaves them out. */
export interface FormatterKind extends ToolKind {
  readonly args: readonly string[]
}

/** What says in the files of a project's checks (scripts, hooks, workflows) that a tool is used. */
const says = (pattern: RegExp): Record<string, RegExp> =>
  Object.fromEntries(
    [
      ...['package.json', 'pyproject.toml', '.pre-commit-config.yaml', 'tox.ini', 'noxfile.py', 'Makefile'],
      ...['justfile', 'scripts/check', 'scripts/lint', 'setup.cfg'],
    ].map((name) => [name, pattern]),
  )

export const FORMATTERS: readonly FormatterKind[] = [
  {
    name: 'ruff',
    language: 'python',
    args: ['format', '--quiet', '--no-cache', '--force-exclude'],
    inside: says(/\bruff[- ]format\b|\[tool\.ruff\.format\]/),
  },
  {
    name: 'black',
    language: 'python',
    args: ['--quiet'],
    inside: says(/\[tool\.black\]|\bid: black\b|\bblack (?:--check|--diff|\.|src\b)/),
  },
  {
    name: 'prettier',
    language: 'script',
    package: 'prettier',
    args: ['--write', '--log-level=warn', '--ignore-unknown'],
    files: /^(?:\.prettierrc(?:\..+)?|prettier\.config\.[cm]?[jt]s)$/,
    inside: says(/"prettier"\s*:\s*(?:\{|"[@.a-z][^":]*")|\bprettier (?:-c|--check|-l|--write|-w|\.)/),
  },
  {
    name: 'biome',
    language: 'script',
    package: '@biomejs/biome',
    args: ['format', '--write', '--no-errors-on-unmatched', '--colors=off'],
    inside: says(/\bbiome (?:format|check|ci)\b/),
  },
  {
    name: 'oxfmt',
    language: 'script',
    package: 'oxfmt',
    args: ['--no-error-on-unmatched-pattern'],
    files: /^\.oxfmtrc\.jsonc?$/,
    inside: says(/\boxfmt\b/),
  },
]
